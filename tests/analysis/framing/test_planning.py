"""`negation-evals plan`: calls, tokens, prices and intervals before any money is spent."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from inspect_ai import eval as run_eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import get_model

from negation_evals import negation_framing
from negation_evals.analysis.framing.intervals.nsi_intervals import range_interval
from negation_evals.analysis.framing.planning import (
    PerCall,
    Plan,
    estimated_call,
    expected_intervals,
    planned_confidences,
    planned_epochs,
)
from negation_evals.cli import main
from negation_evals.cli.plan_inputs import find_price, read_arguments
from negation_evals.errors import DataError
from negation_evals.schema.schedule import Schedule

FOUR = (False, True, False, True)
TWO_DOMAINS = {"legal": 2, "medical": 1}


def plan(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["plan", *arguments])


def test_calls_and_tokens_are_those_of_the_samples() -> None:
    call = estimated_call([400, 800], answer_tokens=20)
    assert (call.input_tokens, call.output_tokens) == (150, 20)
    lines = Plan("t", "a/b", samples=2, asked=30, call=call).lines()
    assert lines[1] == "Calls: 60 (2 samples, 30 epochs)."
    assert lines[2] == "Tokens: about 9,000 in, 1,200 out."
    assert lines[4:] == [
        "Cost: no price known: give --model-cost-config FILE.",
        "Time: not known: give --sample-log LOG.",
    ]


def test_an_adaptive_plan_spans_first_and_last_look() -> None:
    schedule = Schedule(first=10, max_epochs=40)
    call = PerCall(100, 10, "measured", seconds=0.5, dollars=0.001)
    lines = Plan("t", "a/b", 8, 40, call, schedule).lines()
    assert lines[1] == "Calls: 80 to 320 (8 samples, 10 to 40 epochs)."
    assert lines[4] == "Cost: about 0.0800 to 0.320 dollars."
    assert lines[5] == "Time: about 0.7 to 2.7 minutes at the pace of that log."
    assert planned_epochs(27, schedule) == (10, 25)
    assert planned_epochs(8, schedule) == (8, 8)
    levels = planned_confidences(40, 0.9, schedule)
    assert levels == pytest.approx({10: 1 - 0.1 / 7, 40: 1 - Schedule(10, 5, 40, 0.1).errors[-1]})
    assert planned_confidences(30, 0.9, None) == {30: 0.9}


def test_widths_are_those_of_the_method() -> None:
    table = expected_intervals(TWO_DOMAINS, FOUR, 10, confidence_level=0.9, rng=1)
    one = table[table["estimated"] == "one scenario"].set_index("assumed")["width"]
    rates = {"noisy invariant (rate 0.5)": 0.5, "nearly invariant (rate 0.02)": 0.02}
    for name, rate in rates.items():
        drawn = np.random.default_rng(2).binomial(10, rate, (200, 4))
        low, high = range_interval(drawn, 10, confidence_level=0.9)
        # Both means have a standard error below 0.02.
        assert one[name] == pytest.approx((high - low).mean(), abs=0.05)
    assert table["decided"].isna().sum() == 3


def test_more_answers_narrow_and_decide() -> None:
    few, many = (expected_intervals(TWO_DOMAINS, FOUR, n, rng=0) for n in (5, 30))
    assert (many["width"] < few["width"]).all()
    shares = many.set_index(["assumed", "estimated"])["decided"]
    assert shares["strongly framed (0.1, negated 0.9)", "mean of all"] > 0.95
    assert shares["noisy invariant (rate 0.5)", "mean of a domain"] < 0.05


def test_arguments_are_read_as_inspect_reads_them() -> None:
    given = ["domains=legal,medical", "structured=true", "seed=3", "answer-order=balanced", "x=[1]"]
    assert read_arguments(given) == {
        "domains": ["legal", "medical"],
        "structured": True,
        "seed": 3,
        "answer_order": "balanced",
        "x": [1],
    }


def test_the_command_says_it_all_within_100_columns() -> None:
    result = plan("negation_evals/negation_framing", "--model", "some/model", "--epochs", "5")
    assert result.exit_code == 0, result.output
    assert max(map(len, result.output.splitlines())) <= 100
    for text in ("Calls: 280 (56 samples, 5 epochs)", "no price known", "mean of a domain"):
        assert text in result.output


def test_a_task_of_another_family_gets_calls_and_tokens() -> None:
    result = plan("nubench", "--model", "a/b", "-T", "dataset=builtin", "--limit", "4")
    assert result.exit_code == 0, result.output
    assert "Calls: 4 (4 samples, 1 epochs)" in result.output
    assert "Interval" not in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["negation_framin", "--model", "a/b"], "did you mean 'negation_framing'?"),
        (["framing_consensus", "--model", "a/b"], "unknown task 'framing_consensus'"),
        (["sff", "--model", "gpt"], "--model 'gpt' is not of the form provider/name"),
        (["sff", "--model", "a/b", "-T", "frame=F0"], "did you mean 'frames'?"),
        (["sff", "--model", "a/b", "-T", "frames=F9"], "unknown frame 'F9'"),
        (["sff", "--model", "a/b", "-T", "frames"], "is not of the form name=value"),
        (["sff", "--model", "a/b", "-T", "frames=[F0"], "the value is not YAML"),
        (["sff", "--model", "a/b", "--sample-log", "no.eval"], "no.eval: is not a readable log"),
        (["sff", "--model", "a/b", "--limit", "1"], "NSI is a range over at least two"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(arguments: list[str], message: str) -> None:
    result = plan(*arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output


def test_prices_come_from_the_users_file_alone(tmp_path: Path) -> None:
    price = {"input": 2.0, "output": 10.0, "input_cache_write": 0, "input_cache_read": 0}
    file = tmp_path / "prices.json"
    file.write_text(json.dumps({"some/model": price}), encoding="utf-8")
    command = ("negation_framing", "--model", "some/model", "--limit", "4", "--epochs", "5")
    result = plan(*command, "--model-cost-config", str(file))
    characters = sum(len(str(sample.input)) for sample in list(negation_framing().dataset)[:4])
    # 20 calls: prompts at 2 dollars a million tokens, 20 tokens of answer at 10.
    dollars = 5 * characters / 4 * 2e-6 + 20 * 20 * 10e-6
    assert f"Cost: about {dollars:.5f} dollars" in result.output, result.output
    assert find_price("another/model", str(file)) is None
    file.write_text("some/model: cheap", encoding="utf-8")
    with pytest.raises(DataError, match="is not a file of prices: expected, for each model, input"):
        find_price("some/model", str(file))


def test_a_log_gives_tokens_and_time(tmp_path: Path) -> None:
    (log,) = run_eval(
        negation_framing(),
        model=get_model("simulated/mirror", memoize=False),
        limit=4,
        epochs=1,
        log_dir=str(tmp_path),
        log_realtime=False,
    )
    header = read_eval_log(log.location, header_only=True)
    usage = header.stats.model_usage["simulated/mirror"]
    command = ("negation_framing", "--model", "a/b", "--limit", "4", "--epochs", "1")
    result = plan(*command, "--sample-log", log.location)
    assert f"Tokens: about {usage.input_tokens} in, {usage.output_tokens} out" in result.output
    assert "Measured on 4 answers of simulated/mirror" in result.output
    assert "minutes at the pace of that log" in result.output
    wrong = plan("sff", "--model", "a/b", "--sample-log", log.location)
    assert (wrong.exit_code, "not of sff" in wrong.output) == (2, True)
