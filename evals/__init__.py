"""How Firstfault is judged: scenarios, replay, scores, bench."""
