# ruff: noqa: E501, S311  (carriers stand on one line; seeded, not secret, randomness)
"""What must never be stored, and what must never be lost."""

import json
import random
import string
import uuid
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.masking import Masker, mask_bytes, mask_text

ALNUM = string.ascii_letters + string.digits
NAMES = (
    "password", "DB_PASSWORD", "dbPassword", "passwd", "client_secret", "clientSecret", "api_key", "apiKey",
    "API-KEY", "access_token", "accessToken", "AWS_SECRET_ACCESS_KEY", "secret", "auth_token", "WANDB_API_KEY",
    "HF_TOKEN", "private_key", "token", "ldap.bind.password", "redis-password",
)  # fmt: skip


def _word(rng: random.Random, alphabet: str, length: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(length))


def shaped(rng: random.Random) -> list[str]:
    """One secret of every form that is known by its looks."""
    jwt = (
        ".".join("eyJ" + _word(rng, ALNUM + "-_", n) for n in (30, 60))
        + "."
        + _word(rng, ALNUM, 40)
    )
    return [
        "AKIA" + _word(rng, string.ascii_uppercase + string.digits, 16),
        "ghp_" + _word(rng, ALNUM, 36),
        "github_pat_" + _word(rng, ALNUM + "_", 60),
        "xoxb-" + _word(rng, string.digits, 12) + "-" + _word(rng, ALNUM, 24),
        "AIza" + _word(rng, ALNUM + "-_", 35),
        jwt,
        "hf_" + _word(rng, ALNUM, 34),
        "sk-" + _word(rng, ALNUM, 40),
        "glpat-" + _word(rng, ALNUM, 20),
        "nvapi-" + _word(rng, ALNUM + "-_", 60),
        "hvs." + _word(rng, ALNUM, 90),
        "npm_" + _word(rng, ALNUM, 36),
    ]


def chosen(rng: random.Random) -> str:
    """A password as people and generators choose them."""
    alphabet = rng.choice((ALNUM, ALNUM + "!#%*+._~", string.hexdigits, ALNUM + "/+"))
    return "Zq" + _word(rng, alphabet, rng.randrange(8, 40)) + "7"


def carried(name: str, secret: str) -> dict[str, str]:
    """The secret in every carrier."""
    return {
        "log line": f"2025-06-20T02:11:04Z node-7 app[12]: login failed {name}={secret} for user bob",
        "log line, quoted": f"ERROR config {{'{name}': '{secret}', 'retries': 3}}",
        "JSON": json.dumps({"metadata": {"name": "x"}, name: secret, "retries": 3}),
        "JSON in JSON": json.dumps({"log": json.dumps({name: secret, "n": 1}), "stream": "stderr"}),
        "YAML": f"spec:\n  {name}: {secret}\n  replicas: 3\n",
        "YAML, dumped": yaml.safe_dump({"a": [{name: secret}], "b": 1}),
        "describe text": f"Name:  x\nContainers:\n  c:\n    Environment:\n      {name.replace('-', '_')}:  {secret}\n    Mounts:  <none>\n",
        "describe text, plain name": f"    Environment:\n      GREETING:  {secret}\n      RANK:  3\n    Mounts:\n",
        "command line": f"/usr/bin/tool --verbose --{name} {secret} --nnodes=2",
        "command line, joined": f"ps: 4242 tool --{name}={secret} run",
        "argv in JSON": json.dumps({"args": ["serve", f"--{name}", secret, "--port", "80"]}),
        "argv in YAML": f"args:\n- serve\n- --{name}\n- {secret}\n- --port\n",
        "URL": f"GET https://svc.example/path?a=1&{name}={quote(secret, safe='')}&b=2 200",
        "URL with user": f"dial postgres://bob:{quote(secret, safe='')}@10.0.0.7:5432/db?sslmode=off failed",
        "connection string": f"Server=tcp:db,1433;User ID=bob;Password={secret};Encrypt=True;",
        "bearer header": f"> Authorization: Bearer {secret}",
        "basic header": f"> authorization: Basic {secret}",
        "env array": json.dumps({"env": [{"name": "GREETING", "value": secret}, {"name": "RANK", "value": "3"}]}),
        "env in YAML": f"    env:\n    - name: GREETING\n      value: {secret}\n    - name: RANK\n      value: '3'\n    image: x\n",
        "docker Env": json.dumps({"Config": {"Env": ["RANK=3", f"GREETING={secret}"], "Image": "x"}}, indent=4),
        "crictl envs": json.dumps({"envs": [{"key": "GREETING", "value": secret}]}),
        "annotation": json.dumps({"a": json.dumps({"env": [{"name": "GREETING", "value": secret}]})}),
        "unit file": f"Environment=GREETING={secret} RANK=3",
        "kubeconfig": f"users:\n- name: admin\n  user:\n    token: {secret}\n    client-key-data: {secret}\n",
        "Secret in YAML": f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  greeting: {secret}\n",
        "Secret in JSON": json.dumps({"kind": "Secret", "data": {"greeting": secret}}),
        "curl": f"+ curl -s -u bob:{secret} http://127.0.0.1/",
        "cookie": f"< Set-Cookie: session={secret}; Path=/",
    }  # fmt: skip


def test_two_hundred_secrets_are_gone_from_every_carrier() -> None:
    rng = random.Random(20250620)
    secrets = [chosen(rng) for _ in range(210)]
    leaks = [
        (carrier, text)
        for index, secret in enumerate(secrets)
        for carrier, text in carried(NAMES[index % len(NAMES)], secret).items()
        if secret in (masked := mask_text(text)) or quote(secret, safe="") in masked
    ]

    assert not leaks, f"{len(leaks)} leaks, first: {leaks[:5]}"


def test_secrets_known_by_their_form_are_gone_without_a_name() -> None:
    rng = random.Random(7)
    plain = ("try {} now", '"{}"', "x={}", "- {}", "https://x/y?z={}", "msg='{}',", "[{}]")
    for _ in range(20):
        for secret in shaped(rng):
            for form in plain:
                assert secret not in mask_text(form.format(secret)), (form, secret)


@pytest.mark.parametrize("newline", ["\n", "\\n", "\r\n", "\n    ", "\nJun 20 02:11:04 n7 app: "])
@pytest.mark.parametrize(
    "kind", ["RSA PRIVATE", "PRIVATE", "OPENSSH PRIVATE", "EC PRIVATE", "ENCRYPTED PRIVATE"]
)
def test_private_keys_are_gone_on_one_line_or_many(kind: str, newline: str) -> None:
    rng = random.Random(kind + newline)
    lines = [_word(rng, ALNUM + "+/", 64) for _ in range(26)]
    whole = newline.join(
        [f"-----BEGIN {kind} KEY-----", *lines, f"-----END {kind} KEY-----", "after"]
    )
    cut = newline.join([f"-----BEGIN {kind} KEY-----", *lines])

    for text in (whole, cut):
        assert not [line for line in lines if line in mask_text(text)]
    assert "after" in mask_text(whole)


def identifiers(rng: random.Random) -> list[str]:
    """The field's identifiers, each as long and random as a secret."""
    hexed = lambda n: _word(rng, "0123456789abcdef", n)  # noqa: E731  # one line in a table of such
    new_uuid = str(uuid.UUID(int=rng.getrandbits(128)))
    return [
        f"GPU-{new_uuid}", f"MIG-{new_uuid}", new_uuid, hexed(64), hexed(12), f"sha256:{hexed(64)}",
        "fe80:0000:0000:0000:" + ":".join(hexed(4) for _ in range(4)), f"0x{hexed(16)}",
        f"0000:{hexed(2)}:00.0", f"00000000:{hexed(2).upper()}:00.0", hexed(32),
        f"naa.5{hexed(15)}", f"0x5{hexed(15)}", f"wwn-0x{hexed(16)}", ":".join(hexed(2) for _ in range(6)),
        f"fd00:{hexed(4)}::{hexed(4)}", str(rng.randrange(10**6, 10**12)), f"nvme-eui.{hexed(32)}",
        f"trainer-{rng.randrange(99)}-{_word(rng, 'bcdfghjklmnpqrstvwxz2456789', 5)}",
        f"registry.example/train@sha256:{hexed(64)}", f"16500{rng.randrange(10**8, 10**9)}",
    ]  # fmt: skip


PLACES = (
    "Jun 20 02:11:04 n7 kernel: NVRM: Xid (PCI:{}): 79, GPU has fallen off the bus.",
    '{{"metadata": {{"uid": "{}", "resourceVersion": "{}"}}, "containerID": "containerd://{}"}}',
    "Container ID:  containerd://{}",
    "  machineID: {}\n  bootID: {}",
    "pod {} on node {} failed; tokens/s=1234 num_tokens=88 tokenizer={}",
    "https://10.0.0.1:10250/containerLogs/{}?follow=true&tailLines=5",
    "--nnodes=2 --rdzv-id {} --tokenizer-model {} --max-tokens 4096",
    "secretName: {}\nserviceAccountName: {}",
    'key: nvidia.com/{} value: "{}" effect: NoSchedule',
    "PWD=/data/{} step=100 loss=2.1",
    "    Environment:\n      NCCL_IB_HCA:  {}\n      RANK:  {}\n    Mounts:\n",
    '{{"env":[{{"name":"NVIDIA_VISIBLE_DEVICES","value":"{}"}}],"image":"{}"}}',
)


@pytest.mark.parametrize(
    "said",
    ["invalid bearer token, service account token is not valid yet", "[invalid bearer token]"],
)
def test_words_about_bearers_survive(said: str) -> None:
    """A plain word before a comma or a bracket is no more a secret than one before a space."""
    assert mask_text(said) == said


@pytest.mark.parametrize(
    "said",
    [
        'Error: secret "hf-token" not found',
        'MountVolume.SetUp failed for volume "v" : secret "ngc-api-token" not found',
        "configmap my-secret is missing",
        "pod vault-token restarted twice",
    ],
)
def test_an_object_called_like_a_secret_is_no_flag(said: str) -> None:
    """A dash inside a name starts no option whose value would follow."""
    assert mask_text(said) == said


def test_a_flag_after_a_written_newline_is_one() -> None:
    """As a script inside JSON has it."""
    assert "hunter2" not in mask_text('{"run": "serve\\n--api-token hunter2\\n--port 80"}')


@pytest.mark.uncounted
def test_a_thousand_identifiers_survive() -> None:
    rng = random.Random(99)
    kept = 0
    for _ in range(60):
        for identifier in identifiers(rng):
            for place in PLACES:
                text = place.format(*[identifier] * place.count("{}"))
                assert mask_text(text) == text
            kept += 1

    assert kept >= 1000


@pytest.mark.uncounted
@settings(max_examples=300, deadline=None)
@given(
    st.binary(max_size=400),
    st.sampled_from(
        [
            "password=",
            '{"token": "',
            "env:\n- a: ",
            "://a:",
            "\nEnvironment:\n x: ",
            "kind: Secret\ndata:\n a: ",
            '"env":["',
        ]
    ),
)
def test_masking_never_fails_and_masking_twice_changes_nothing(noise: bytes, start: str) -> None:
    for text in (noise, start.encode() + noise, noise + start.encode() + noise):
        once = mask_bytes(text)
        assert mask_bytes(once) == once


@pytest.mark.uncounted
@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([*NAMES, "uid", "count"]),
        st.one_of(
            st.text(max_size=30),
            st.integers(),
            st.booleans(),
            st.none(),
            st.lists(st.text(max_size=5)),
        ),
        max_size=6,
    )
)
def test_masked_json_is_still_json(content: dict[str, object]) -> None:
    masked = json.loads(mask_text(json.dumps(content)))

    assert list(masked) == list(content)


def test_text_without_a_trigger_is_given_back_uncopied() -> None:
    line = b"2025-06-20T02:11:04Z n7 kernel: nfs: server 10.0.0.10 not responding; tokens/s=12 step 5\n"
    block = line * (1_400_000 // len(line))

    assert mask_bytes(block) is block


@pytest.mark.uncounted
def test_a_long_line_is_masked_around_its_secrets() -> None:
    pods = [
        {
            "metadata": {"name": f"p{n}"},
            "env": [{"name": "A", "value": f"hush{n}x"}],
            "password": f"quiet{n}x",
        }
        for n in range(3000)
    ]
    masked = mask_text(json.dumps({"items": pods}))

    assert "hush" not in masked
    assert "quiet" not in masked
    assert [pod["metadata"]["name"] for pod in json.loads(masked)["items"]] == [
        f"p{n}" for n in range(3000)
    ]


def test_the_list_of_environment_names_can_be_extended() -> None:
    text = "    Environment:\n      FABRIC_MODE:  x9\n      RANK:  1\n"

    assert "x9" not in mask_text(text)
    assert "x9" in Masker(["FABRIC_*"]).mask_text(text)


@pytest.mark.uncounted
def test_many_threads_may_mask_at_once() -> None:
    text = "password=hunter2 " * 50
    with ThreadPoolExecutor(8) as pool:
        results = set(pool.map(mask_text, [text] * 200))

    assert results == {"password=<masked> " * 50}


AWKWARD = ALNUM + "!@#$%^&*()_+-=[]{};:'\",.<>/?\\|`~ "


def structured(secret: str) -> dict[str, str]:
    """The carriers that can hold any characters at all."""
    return {
        "JSON": json.dumps({"password": secret, "n": 1}),
        "JSON in JSON": json.dumps({"log": json.dumps({"db_password": secret, "z": 2})}),
        "YAML": yaml.safe_dump({"a": {"password": secret, "b": 1}}, width=1000),
        "env in YAML": yaml.safe_dump(
            {"env": [{"name": "FOO", "value": secret}, {"name": "RANK", "value": "1"}]}, sort_keys=False, width=1000
        ),
        "env in JSON": json.dumps({"env": [{"name": "FOO", "value": secret}]}),
        "annotation": json.dumps({"a": json.dumps({"env": [{"name": "FOO", "value": secret}]})}),
        "docker": json.dumps({"Env": ["FOO=" + secret, "RANK=1"]}),
        "describe": f"    Environment:\n      FOO:  {secret}\n      RANK:  1\n    Mounts:\n",
        "argv": json.dumps(["--password", secret]),
        "Python": repr({"password": secret, "a": 1}),
        "Secret": json.dumps({"kind": "Secret", "stringData": {"a": secret}}, indent=2),
    }  # fmt: skip


@pytest.mark.uncounted
def test_no_part_of_an_awkward_password_is_left() -> None:
    rng = random.Random(5)
    for _ in range(200):
        secret = "Zq" + _word(rng, AWKWARD, rng.randrange(8, 30)) + "7x"
        parts = [secret[index : index + 6] for index in range(len(secret) - 5)]
        for carrier, text in structured(secret).items():
            masked = mask_text(text)
            assert not [part for part in parts if part in masked], (carrier, text, masked)


def test_cut_values_are_masked_too() -> None:
    assert "hunter2" not in mask_text('{"password": "hunter2 and no e')
    assert "hunter2" not in mask_text("password='hunter2")
    assert "hunter2" not in mask_text("export PASSWORD=hunter2")
