"""Lines that try to become markup, escape sequences or links when they are shown."""

LINES = (
    "\x1b[2J\x1b]0;owned\x07 screen cleared",
    "\x9b31m C1 control, \x7f and a bell \x07",
    "[bold red]rich markup[/] [link=https://evil.example]x[/link] :boom:",
    '<script>alert("x")</script><img src=x onerror=alert(1)>',
    "'\"><svg/onload=alert(1)> </style></title></pre></article>",
    "{{ 7 * 7 }} {% include 'etc' %} {0} {words}",
    "| cell | **bold** | `code` ``` fence ~~~",
    "```\n# heading\n```",
    "[click](javascript:alert(1)) ![x](https://evil.example/x.png) <https://evil.example>",
    "https://evil.example/?q=1 www.evil.example @everyone #1",
    "\u202eright to left\u202c \u2066isolate\u2069 zero\u200bwidth \ufeff",
    "carriage\rreturn overwrites",
    "null \x00 byte and lone surrogate \udc80",
    "&lt;already&gt; &amp; escaped",
)
