"""What a snapshot lacks, as a terminal shows it."""

from kueuelift import yaml_text
from kueuelift.missing_text import missing
from kueuelift.model import Failure


def forbidden(plural: str, group: str, *verbs: str) -> Failure:
    name = f"{plural}.{group}" if group else plural
    said = f'{name} is forbidden: User "reader" cannot list resource "{plural}" in API group "{group}" at the cluster'
    rule = {"apiGroups": [group], "resources": [plural], "verbs": list(verbs)}
    return Failure(what=name, reason=f"403: {said} scope", remedy="grant it", rule=rule)


def lines(*failures: Failure) -> list[str]:
    return list(missing(failures, "`X` prints the role"))


def test_the_table_is_narrow_and_the_rules_can_be_pasted() -> None:
    told = lines(
        forbidden("services", "", "get", "list"),
        forbidden("pods", "", "list"),
        forbidden("configmaps", "", "list"),
        Failure(what="workloads.kueue.x-k8s.io", reason="500: " + "no " * 60, remedy="see the log, " * 10),
    )
    assert max(map(len, told)) <= 112
    empty = told.index("")
    assert told[:4] == [
        "MISSING                   REASON AND REMEDY",
        'services                  403: User "reader" cannot list it',
        'pods                      403: User "reader" cannot list it',
        'configmaps                403: User "reader" cannot list it',
    ]
    assert told[4].startswith("workloads.kueue.x-k8s.io  500: no no")
    assert any(line.strip().startswith("-> see the log") for line in told[5:empty])
    assert told[empty + 1 : empty + 4] == [
        "These rules of a ClusterRole would allow it;",
        "`X` prints the role:",
        "",
    ]
    assert yaml_text.load("\n".join(told[empty + 4 :]), "pasted") == [
        {"apiGroups": [""], "resources": ["services"], "verbs": ["get", "list"]},
        {"apiGroups": [""], "resources": ["configmaps", "pods"], "verbs": ["list"]},
    ]


def test_another_word_of_a_server_is_told_as_it_is() -> None:
    odd = Failure(what="pods", reason="403: the gateway wants a licence", rule={"apiGroups": [""], "verbs": ["list"]})
    assert lines(odd)[1] == "pods     403: the gateway wants a licence"


def test_without_failures_there_is_nothing_and_without_rights_no_rules() -> None:
    assert lines() == []
    assert lines(Failure(what="a", reason="b", remedy="c", foreign=True)) == [
        "MISSING        REASON AND REMEDY",
        "a (not Kueue)  b",
        "               -> c",
    ]
