"""The real conversion webhook, asked the way the API server asks it."""

import http.client
import json
import ssl
from collections.abc import Callable, Sequence

from bed.api import KubernetesObject
from bed.failure import BedError
from bed.manager import Manager

Convert = Callable[[Sequence[KubernetesObject], str], list[KubernetesObject]]
"""Converts objects to an apiVersion."""


class ConversionWebhook:
    """The `/convert` endpoint of a running manager."""

    def __init__(self, manager: Manager) -> None:
        self._port = manager.port
        self._tls = ssl.create_default_context(cafile=manager.certificates / "ca.crt")
        # The certificate names the Service, which loopback is not.
        self._tls.check_hostname = False

    def convert(self, objects: Sequence[KubernetesObject], to_api_version: str) -> list[KubernetesObject]:
        """The objects at the wanted version, in their order; raises BedError with the webhook's reason to refuse."""
        request = {"uid": "bed", "desiredAPIVersion": to_api_version, "objects": list(objects)}
        review = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": request}
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, context=self._tls, timeout=30)
        try:
            connection.request("POST", "/convert", json.dumps(review), {"Content-Type": "application/json"})
            answer = json.loads(connection.getresponse().read())["response"]
        finally:
            connection.close()
        if answer["result"]["status"] != "Success":
            raise BedError(f"the conversion webhook refused: {answer['result'].get('message')}")
        converted: list[KubernetesObject] = answer["convertedObjects"]
        return converted
