"""One scenario as a file holds it."""

ROW = {
    "id": "a_1",
    "domain": "home",
    "text": "A neighbour is loud.",
    "action_clause": "call the police",
    "goal_clause": "sleep",
}
