"""What each figure shows and how to read it."""

from typing import Final

CAPTIONS: Final[dict[str, str]] = {
    "ranking": (
        "Mean NSI of each result, the most sensitive on top; the bar is the range over its "
        "scenarios and each small dot one scenario. The black tick is the NSI expected of a model "
        "without any framing effect: a mean near it is no sign of sensitivity."
    ),
    "model_by_domain": (
        "Mean NSI of each result in each domain, grouped by origin and ranked within it. Domains "
        "are ordered by their mean, the most sensitive on the left."
    ),
    "model_by_scenario": (
        "NSI of each result on each scenario, grouped by origin and ranked within it. Scenarios "
        "are ordered by their mean, the most sensitive on the left; an empty cell lacks answers "
        "in a frame."
    ),
    "endorsement_by_origin": (
        "How often the action is endorsed in each frame, by origin (A is the action, G the goal); "
        "negated frames are shaded, and the dashed line is 0.5. A model that heeds the negation "
        "stays level: a rise in the shaded frames means that negation turns into endorsement."
    ),
    "agreement_by_frame": (
        "How often two models have the same majority decision on a scenario, by frame, over all "
        "pairs of models (A is the action, G the goal). Intervals resample scenarios."
    ),
    "scenarios": (
        "Mean NSI of each scenario over the models, the most sensitive on top, with intervals "
        "from resampling models. The tick is the NSI expected without any framing effect."
    ),
    "confidence": (
        "Each point is one model on one scenario: the mean confidence it stated against its NSI. "
        "The danger zone holds answers that are sure of themselves and still depend on the "
        "wording (confidence above 80, NSI above 0.5)."
    ),
    "size_tier": (
        "Mean NSI of each result by size tier, with the tier's median. Models without a known "
        "tier are left out."
    ),
    "distribution": (
        "How NSI is distributed over model-scenario cells, by origin; bars are scaled to the "
        "highest of each row. The dashed lines separate robust, moderate and high fragility, and "
        "the percentages say what share of the row's cells falls into each class."
    ),
    "compliance": (
        "Share of answers with a valid decision against mean NSI, one point for each result. "
        "Results left out for too few valid answers stand below the scale, without NSI; what "
        "lies apart is named where there is room."
    ),
    "alignment_by_frame": (
        "Mean of the four alignment scores that the models gave in each frame, by origin. Lines "
        "that are not level mean that the stated scores move with the wording: because the stance "
        "does, which they rate, or because the reasons do (the table keeps the stances apart)."
    ),
    "alignment_by_scenario": (
        "Mean of the four alignment scores on each scenario, by origin. Marks that lie apart mean "
        "that origins justify their decisions differently, or take different ones, whatever their "
        "NSI."
    ),
    "reasoning": (
        "Mean NSI without and with reasoning, for each model or model family, and the change on "
        "each scenario. Means are over all pairs that differ in nothing else, so any other "
        "setting that varies is averaged on both sides alike. At the right the change relative to "
        "the mean before."
    ),
    "temperature": (
        "Mean NSI at the highest temperature and at another, for each model, and the change on "
        "each scenario. Means are over all pairs that differ in nothing else, so any other "
        "setting that varies is averaged on both sides alike. At the right the change relative to "
        "the mean before."
    ),
    "profile_origin": (
        "Mean NSI of each scenario by origin, scenarios ordered by their overall mean. The line "
        "joins the lowest and the highest origin."
    ),
    "profile_size_tier": (
        "Mean NSI of each scenario by size tier, scenarios ordered by their overall mean. The "
        "line joins the lowest and the highest tier; models without a known tier are left out."
    ),
    "profile_condition": (
        "Mean NSI of each scenario with and without a request to reason, over the models that were "
        "asked it under every condition; scenarios ordered by their overall mean. The line joins "
        "the conditions."
    ),
    "pairs": (
        "NSI over all frames beside that within each pair of frames that differ in their negation "
        "alone. Where all pairs lie far below, the stance moves with what distinguishes the pairs, "
        "such as the mention of the goal, rather than with the negation."
    ),
    "acquiescence": (
        "Mean acquiescence of each result in each pair: -1 disagrees with a proposal and with its "
        "negation, 0 mirrors the negation, +1 agrees with both. The highest mean is on top."
    ),
    "nubench_accuracy": (
        "Accuracy of each result on NUBench with its 95 % interval, clustered on the page. The "
        "dotted line is chance; the band spans the eleven adults of arXiv:2506.14397, the dashed "
        "line their mean (on other items, the public set's)."
    ),
    "nubench_choices": (
        "What was chosen: the standard negation is right; a local negation, a contradiction and a "
        "paraphrase are wrong; a format violation chooses no option of its item."
    ),
    "nubench_confusion": (
        "Of the choices on items with a local negation in this construction, the share that took "
        "it for the standard negation."
    ),
    "snca_categories": (
        "SNCS of each result on each category, the least consistent categories on top; the mark is "
        "the type of the policy that the model states. Grey cells have no score: the policy is "
        "Opaque or, without a mark, not typed; or no item has both a prediction and a label."
    ),
    "snca_rule_types": (
        "On how many categories each model states a policy of which type, as the judge types it. "
        "An Opaque policy predicts nothing."
    ),
    "snca_violations": (
        "Items that were not treated as the stated policy predicts, by the type of the policy. "
        "Hatched parts are benign items: under an Absolute policy a harmless request that was "
        "answered, although the statement, taken at its word, would refuse it."
    ),
}
