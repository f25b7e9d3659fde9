"""An Inspect Flow spec: two models, two answer orders, one log folder.

    pip install inspect-flow uv
    flow run docs/examples/flow.py
    negation-evals report docs/examples/logs/flow --out negation-report

The simulated respondents cost nothing; put your models in their place.
"""

from inspect_flow import FlowOptions, FlowSpec, tasks_matrix

FlowSpec(
    log_dir="logs/flow",
    store=None,
    options=FlowOptions(display="plain"),
    tasks=tasks_matrix(
        task=["negation_evals/negation_framing"],
        model=["simulated/mirror", "simulated/naysayer"],
        args=[
            {"answer_order": "agree_first", "domains": "medical,legal"},
            {"answer_order": "balanced", "domains": "medical,legal"},
        ],
        epochs=2,
    ),
)
