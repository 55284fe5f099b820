import pytest

from kueuelift import helm_payload
from kueuelift.errors import RefusedError
from kueuelift_apply.actions.helm_upgrade import _marked_failed
from release_secrets import release, secret


def test_a_pending_record_is_marked_as_failed_and_nothing_else_of_it_changes() -> None:
    pending = release()
    pending["info"]["status"] = "pending-upgrade"
    obj = secret(pending)
    obj["metadata"]["labels"]["status"] = "pending-upgrade"
    marked = _marked_failed(obj)
    assert marked["metadata"]["labels"] == obj["metadata"]["labels"] | {"status": "failed"}
    told = {"status": "failed", "description": "interrupted, marked as failed by kueuelift"}
    assert helm_payload.decode(marked).record == pending | {"info": pending["info"] | told}


def test_a_record_that_nobody_can_read_is_refused_in_one_sentence() -> None:
    with pytest.raises(
        RefusedError, match="holds no readable Helm release record: not base64; see with `helm history`"
    ):
        _marked_failed(secret(data="!!notbase64"))
