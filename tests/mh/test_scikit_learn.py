"""What scikit-learn asks of a classifier: its checks, with given bases and by default."""

import pytest

pytest.importorskip("sklearn")

from onearm.mh.classifier import AdaBoostMH
from tests.mh.shared_rows import BASES


@pytest.mark.compiled
@pytest.mark.parametrize(
    "given", [*({"base": base, "n_rounds": 30} for base in BASES), {"max_rounds": 40}], ids=str
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.EstimatorCheckFailedWarning")
def test_it_passes_the_checks_of_scikit_learn(given):
    from sklearn.utils.estimator_checks import check_estimator

    separated = "the base classifiers separate its noisy rows, whatever these weigh"
    failed = {} if given.get("base") == "stump" else {"check_class_weight_classifiers": separated}
    check_estimator(AdaBoostMH(**given), expected_failed_checks=failed)
