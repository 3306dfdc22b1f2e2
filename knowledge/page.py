"""The typed front matter of a handbook page: one condition that can be true of an entity.

A page is a file ``knowledge/handbook/<family>/<id>.md``: YAML front matter of exactly this shape,
then prose for people. Pages name entity kinds, channels and scopes as plain words; one check in
`assistant` resolves them against `tools` at start and in tests, because `knowledge` stands beside
`tools` and imports nothing of it.
"""

from typing import Annotated, Literal

from pydantic import Field

from knowledge.bilingual import Bilingual, Part, Phrases

Layer = Literal["hardware", "system", "orchestration", "application"]
Plane = Literal["compute", "storage", "network", "control", "workload"]
Role = Literal["root", "mechanism", "symptom", "change", "benign", "context", "unread", "guidance"]
"""root: may end a why-chain · mechanism: how a root does harm · symptom: only ever an effect ·
change: somebody or something altered the system · benign: normal or known harmless, also positive
progress · context: yields settings and relations, never an event · unread: its fallbacks take what
its own writer calls an error and no page knows, its other signatures what people complain of; never
part of a chain, but no health beside it ·
guidance: no condition at all but how to work, in `practice`, for the conditions in `guides`; never
part of a diagnosis."""
Severity = Literal["critical", "error", "warning", "info"]
Strength = Literal["always", "usually", "often", "sometimes"]
BaseRate = Literal["common", "occasional", "rare"]
Risk = Literal["R0", "R1", "R2", "R3", "R4"]
Priority = Literal["P0", "P1", "P2", "P3"]
Scope = Literal[
    "gpu", "nvlink", "nic", "node", "pod", "container", "job", "mount", "volume", "server",
    "service", "switch", "rack", "cluster", "peer", "process", "disk", "queue", "line",
]  # fmt: skip
"""Where cause and effect must meet. `server` reads the storage_server anchors; `peer`: the effect,
seen on X, names Y, and the cause is on Y; `line`: one and the same line tells of both."""
Operator = Literal["==", "!=", "<", "<=", ">", ">=", "in", "matches", "lacks", "exists", "absent"]
FieldType = Literal["text", "int", "float", "duration", "bytes", "milliseconds", "deciseconds"]
Stage = Literal["isolate", "restore", "recover", "release", "verify"]
Trust = Literal["vendor", "source-code", "specification", "case", "postmortem", "handbook", "rule"]


class Condition(Part):
    """A typed test of one field. `value_of` compares with another field of the same thing.

    `field` is a dotted path; keys with dots are quoted: ``status.capacity."nvidia.com/gpu"``.
    A leading ``$.`` starts at the object's top when `each` walks a list. Numbers, Kubernetes
    quantities and times compare as such when both sides parse. `matches` is an RE2 full match,
    `lacks` one that is found nowhere. An absent field satisfies `absent` and no other test.
    """

    field: str
    op: Operator
    value: str | float | int | bool | tuple[str, ...] | None = None
    value_of: str | None = None


class Ending(Part):
    """The line that says a condition is over; its named groups build the same entities."""

    literal: str
    regex: str
    source: str = ""
    """Channel, where it differs from the signature's own."""


class Named(Part):
    """An entity by kind and identity template."""

    kind: str
    id: str


class TextSignature(Part):
    """A line that shows the condition.

    Templates (`entity`, `peer`, `relation`) are format strings over the regex's named groups and
    the record's own ``{host}``, ``{unit}``, ``{pod}``, ``{namespace}``, ``{container}``,
    ``{job}``, ``{rank}``, ``{name}``, ``{node}``, and ``{place}``: the host, or the pod where no
    host is known. An entity whose template names something absent
    is left out. Identities are normalised by kind when recognised (PCI addresses lower-case with
    four-digit domain…), so a page writes them as the line does.
    """

    id: str
    source: Literal["kernel", "service", "app", "device", "event", "command", "alert"]
    unit: str = ""
    """RE2, full match, on the record's unit; empty: any."""
    reason: str = ""
    """Exact reason, for Kubernetes Events; then `literal` may be empty."""
    literal: str = ""
    """Must occur in the line, byte for byte: the prefilter."""
    regex: str
    """RE2 syntax, searched in the whole logical line (continuation lines joined by newline)."""
    fallback: bool = False
    """Tried only on lines that no other signature of the channel takes; may have no literal."""
    yields: Literal["event", "setting", "relation", "release"] = "event"
    entity: dict[str, str] = Field(default_factory=dict)
    """Anchor kind → identity template. The page's `entity.kind` should be among them."""
    peer: dict[str, str] = Field(default_factory=dict)
    """Kind → template of the other side that the line names (NCCL peer, quoted server)."""
    fields: dict[str, FieldType] = Field(default_factory=dict)
    """Named group → type. `duration` reads ``6.9s``, ``3m4.2s``, ``120 s``; the field is then in
    seconds and its name gets no suffix."""
    reckons: dict[str, str] = Field(default_factory=dict)
    """Further field → sum over `fields`: ``total - free``; left out where a term is absent."""
    where: tuple[Condition, ...] = ()
    """Tests over those fields, for a message that decides by its own numbers what it means."""
    settings: dict[str, str] = Field(default_factory=dict)
    """Setting name → named group in `fields`, for yields = setting."""
    relation: tuple[Named, ...] = ()
    """Two or more that are the same thing (same kind) or belong together; or one released."""
    severity: Severity | None = None
    ends: Ending | None = None
    examples: tuple[str, ...] = Field(min_length=1)
    not_examples: tuple[str, ...] = ()


class MetricSignature(Part):
    """A named query whose returned samples satisfy a typed comparison for a while."""

    id: str
    source: Literal["metric"]
    query: str
    """Unique name; the same name means the same expression everywhere."""
    expr: str
    """PromQL. Without a comparison where possible, so that normal values count as seen."""
    op: Operator
    value: float
    for_s: float = 0.0
    echoes: bool = False
    """The samples repeat what the host's own log says when it happens, and so come after it."""
    entity: dict[str, str] = Field(default_factory=dict)
    """Anchor kind → template over the labels."""
    severity: Severity | None = None
    examples: tuple[dict[str, str | float], ...] = Field(min_length=1)
    """Labels plus `value`: samples that satisfy it."""
    not_examples: tuple[dict[str, str | float], ...] = ()


class StateSignature(Part):
    """A Kubernetes object's state (`source: object`) or a typed reading (`source: reading`)."""

    id: str
    source: Literal["object", "reading"]
    kind: str
    """Node, Pod, … or the reading's kind: gpu, mount, …"""
    each: str = ""
    """Path of a list whose items are tested one by one, or ``a[].b``; empty: the thing itself."""
    where: tuple[Condition, ...] = Field(min_length=1)
    since: str = ""
    """Path of the time since when it is so; empty: unknown, some time before the capture."""
    entity: dict[str, str] = Field(default_factory=dict)
    """Anchor kind → template over paths: ``{metadata.name}``, ``{host}``, ``{uuid}``."""
    fields: dict[str, str] = Field(default_factory=dict)
    """Field name → path, carried into the event."""
    severity: Severity | None = None
    examples: tuple[dict[str, object], ...] = Field(min_length=1)
    not_examples: tuple[dict[str, object], ...] = ()


Signature = Annotated[
    TextSignature | MetricSignature | StateSignature, Field(discriminator="source")
]


class Delay(Part):
    """From the cause's onset to the effect's onset, in seconds.

    `min_s` is negative where two clocks may stamp one moment.
    """

    min_s: float = 0.0
    max_s: float


class BeginsBefore(Part):
    """The fault began this long before the line that reports it: an interval, never a point.

    `setting` names a setting or field in seconds that, where seen in evidence, replaces `min_s`
    and `max_s` (widened by a quarter).
    """

    min_s: float = 0.0
    max_s: float
    setting: str = ""


class Guard(Part):
    """The cause does harm only if one of its own fields passes a test; unknown: a weaker link.

    The threshold is `setting` where evidence shows it, else `value`.
    """

    field: str
    op: Operator
    value: float
    setting: str = ""


class Link(Part):
    """This condition causes `effect`."""

    effect: str
    scope: Scope
    strength: Strength
    expected: bool = False
    """True: its absence counts against, if its source covered the time and place."""
    expected_if: str = ""
    """Anchor kind that the cause must have for the expectation to hold (something used it then)."""
    delay: Delay
    guard: Guard | None = None
    when: dict[str, str] = Field(default_factory=dict)
    """Effect field → RE2 full match; a field that is present and differs excludes the link."""
    passes_s: float = Field(default=0.0, ge=0)
    """What this cause brings about is over within so long; an effect that was seen for longer has
    another one. 0: no bound."""
    definitional: bool = False
    """The effect's line quotes this cause."""
    why: Bilingual | None = None
    """How the one leads to the other, in a sentence."""


class Inference(Part):
    """Makes the condition a latent cause: inferred from effects when nobody printed it."""

    over: Scope
    effects: tuple[str, ...] = Field(min_length=1)
    min_entities: int = Field(default=2, ge=2)
    """Three where each of the effects could well fail alone."""
    within_s: float = 600.0
    needs: dict[str, str] = Field(default_factory=dict)
    """Effect → the field without which it is no sign of this cause."""
    unnamed: bool = False
    """Also inferred, as a mere lead, where several fail at once and nobody names what is shared."""


class Refutation(Part):
    """Seeing `condition` under `scope` speaks against this one."""

    condition: str
    scope: Scope
    why: Bilingual


class Distinction(Part):
    """How to tell this from another condition that looks the same."""

    other: str
    check: str
    """Id of one of this page's checks."""
    means: Bilingual
    """What which result means."""


class Check(Part):
    """A read-only look that tells something."""

    id: str
    command: tuple[str, ...] = Field(min_length=1)
    """argv; placeholders ``{node}``, ``{gpu}``, ``{pod}``, ``{namespace}``, ``{server}`` and
    ``{mount}``."""
    where: Literal["node", "control", "server", "switch", "operator"] = "node"
    risk: Literal["R0", "R1"] = "R0"
    sources: tuple[str, ...] = ()
    """Channels or probe names that this check would fill, to match it with gaps in coverage."""
    tells: Bilingual


class Advice(Part):
    """Something to do now, or not to do, and why."""

    text: Bilingual
    why: Bilingual
    about: tuple[str, ...] = ()
    """For a caution: kinds it would spare; not meant where another root is at fault on one."""
    shared: bool = False
    """It contains what many depend on: it is not given where one host stands alone."""


class Remedy(Part):
    """A step towards repair, for people to run."""

    id: str
    title: Bilingual
    stage: Stage
    risk: Risk
    command: tuple[str, ...] = ()
    where: Literal["node", "control", "server", "switch", "operator"] = "operator"
    reversible: bool = True
    undo: Bilingual | None = None
    precondition: Bilingual | None = None
    verify: Bilingual | None = None


class Benign(Part):
    """When an occurrence is known to be harmless."""

    when: tuple[Condition, ...] = Field(min_length=1)
    """Over the event's own fields; all must hold."""
    why: Bilingual


class Origin(Part):
    """Where a claim of the page comes from."""

    text: str
    trust: Trust


class Claim(Part):
    """What one source says."""

    text: Bilingual
    source: Origin


class Dispute(Part):
    """A question on which the sources disagree; the page shows what each of them says."""

    about: Bilingual
    claims: tuple[Claim, ...] = Field(min_length=2)
    advice: Bilingual | None = None
    """What to do meanwhile, where the page's own rules follow one side."""


class Subject(Part):
    """What the condition is true of."""

    kind: str
    """One of the entity kinds of the contract."""
    anchors: tuple[str, ...] = ()
    """Further anchor kinds an event should get from topology."""


class Page(Part):
    """One condition, or guidance for several. The prose below the front matter is `body`."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    family: str = ""
    badge: str = ""
    """The folder, and whose page it is where it is not shipped; filled by the catalog."""
    codes: tuple[str, ...] = ()
    """GST-2001, Xid 79, SXid 20034, exit 137 …"""
    stands_for: tuple[str, ...] = ()
    """For a platform code's page: the conditions it may stand for."""
    title: Bilingual
    summary: Bilingual
    phrases: Phrases = Phrases()
    layer: Layer
    plane: Plane
    role: Role
    entity: Subject
    severity: Severity
    priority: Priority
    damage: int = Field(default=0, ge=0, le=3)
    """What users lose: 0 none, 1 degraded, 2 work stopped, 3 the work of many stopped."""
    base_rate: BaseRate = "occasional"
    persists: bool = False
    """True: stays true until a recovery is seen; else it lasts `lasts_s` after the last line."""
    lasts_s: float = 60.0
    concludes: bool = False
    """What it tells of is done when it is told: an order carried out, a boot. Of a host it is once
    the host is heard again."""
    progress: bool = False
    """A benign page that proves work went on (steps, probes answered, traffic)."""
    hides: tuple[str, ...] = ()
    """Channels of its host of which lines were lost: their silence means nothing then."""
    collateral_of: tuple[str, ...] = ()
    """Conditions whose consequence this is once they are seen on a member of the same job or
    process: never counted as a fault of its own then."""
    amplifies: bool = False
    """It turns a contained fault into wider damage: breaking this link would have contained it."""
    detector: bool = False
    """The condition is a verdict of a health check or monitor, which may itself be wrong."""
    unwritten: bool = False
    """It may end the host before its line is written: no log's silence rules it out."""
    begins_before: BeginsBefore | None = None
    shows_limit: str = ""
    """Resource whose limit in the pod's specification belongs beside the event: memory…"""
    signatures: tuple[Signature, ...] = ()
    benign_when: tuple[Benign, ...] = ()
    causes: tuple[Link, ...] = ()
    infer: Inference | None = None
    refuted_by: tuple[Refutation, ...] = ()
    distinguish: tuple[Distinction, ...] = ()
    checks: tuple[Check, ...] = ()
    guides: tuple[str, ...] = ()
    """For guidance: the conditions that it helps to avoid, to see or to bear."""
    practice: tuple[Advice, ...] = ()
    """For guidance: what to do in ordinary times, and why."""
    contain: tuple[Advice, ...] = ()
    do_not: tuple[Advice, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    traps: tuple[Bilingual, ...] = ()
    disputes: tuple[Dispute, ...] = ()
    sources: tuple[Origin, ...] = ()
    why_unknown: Bilingual | None = None
    """For a root that says where but not why: what may lie behind it."""
    body: str = ""
