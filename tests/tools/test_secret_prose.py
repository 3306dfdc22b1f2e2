# ruff: noqa: E501  (a line of a log stands on one line)
"""Passwords that people wrote into sentences and tables are gone; what is said about them stays."""

import pytest

from tools.masking import mask_text

SECRET = "S3cretPw4"
AWS = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"


@pytest.mark.parametrize(
    "said",
    [
        "密码：{}", "密码: {}", "口令：{}。", "管理员密码为 {}，请勿外传", "密码是{}", "root 密码 {}", "密钥\uff1d{}",
        "The root password is {}", "password {}", "the password is: {}.", "Passwords are {} and nothing else",
        "password for root is {}", "the BMC's passphrase was {}", "change the password to {}, then log in",
        "the password is `{}`", 'password is "{}"', "password for the admin account is {}", "Password ({})",
        "| user | password |\n|---|---|\n| root | {} |\n", "user | password\n\nroot | {}\n\nadmin | none",
        "name | root password | notes\n\nbmc | {} | rotate it", "| password | {} |", "root password | {}",
        "| 用户 | 密码 |\n| --- | --- |\n| root | {} |", "密码 | {}",
    ],
)  # fmt: skip
def test_a_password_in_a_sentence_or_a_table_is_gone(said: str) -> None:
    """In both languages; masking twice changes nothing, and the words around it stay."""
    masked = mask_text(said.format(SECRET))

    assert SECRET not in masked
    assert mask_text(masked) == masked
    assert masked == said.format("<masked>")


@pytest.mark.parametrize(
    "value", ["hunter2hunter", "Tr0ub4dor&3", "correct!horse", "a1b2c3d4", "123456"]
)
def test_what_is_said_to_be_the_password_is_gone_whatever_its_form(value: str) -> None:
    """After "is" and in a column of passwords."""
    assert value not in mask_text(f"the password is {value}")
    assert value not in mask_text(f"密码为 {value}")
    assert value not in mask_text(f"| user | password |\n|---|---|\n| root | {value} |")


def test_a_plain_word_in_a_column_of_passwords_is_gone_too() -> None:
    """There it is a value."""
    assert "letmein" not in mask_text(
        "| user | password |\n|---|---|\n| root | letmein |\n| a | b |"
    )


@pytest.mark.parametrize(
    "said", ["AWS key {} secret {}", "access key {}, secret: {}", "{} / {}", "key {}\nsecret {}"]
)
def test_the_secret_beside_a_key_of_aws_is_gone(said: str) -> None:
    """Its form alone tells nothing; the key before it does."""
    assert AWS not in mask_text(said.format("AKIAIOSFODNN7EXAMPLE", AWS))


@pytest.mark.parametrize(
    "said",
    [
        "the password is rotated weekly", "password is required", "The passphrase is stored in Vault; ask the on-call.",
        "Failed password for root from 10.0.0.7 port 51022 ssh2", "Accepted password for user1 from 10.0.0.7 port 22 ssh2",
        "Failed password for invalid user admin2 from 10.0.0.7 port 51022 ssh2", 'password authentication failed for user "trainer7"',
        "reset the password on astra-gpu-07 first", "password expired at 2025-06-20T02:11:04Z", "pam_unix(sshd:auth): password changed for root",
        "the password is 8 characters long", "password SHA256 hashes are used", "the password is in /etc/slurm/munge2.key",
        "the password is $BMC_PASSWORD", "the password is <your-password>", "the password is {password1}",
        "密码每周轮换一次", "密码已过期", "密码为必填项", "密码是每周轮换的", "修改密码后请重启 node07", "密码错误：用户 root 登录失败",
        'secret "regcred-7" not found', "token 128000 of 131072 reached the limit",
        "| node | password rotated |\n|---|---|\n| astra-gpu-07 | 2025-06-20 |",
        "| user | password |\n|---|---|\n| root | ask the on-call |\n| admin | none |",
        "| pod | secret |\n|---|---|\n| trainer-0-x7k2p | regcred-2 |", "| model | tokens |\n|---|---|\n| llama3-70b | 128000 |",
        "| password policy | GPU-4f6a |", "GPU-5a7e2d0c-1111-2222-3333-444455556666 | passwordless | ok",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b fixes it",
    ],
)  # fmt: skip
def test_what_is_said_about_passwords_stays(said: str) -> None:
    """Prose, the lines of daemons, names and identifiers beside such a word."""
    assert mask_text(said) == said
