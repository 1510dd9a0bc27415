"""A grpcio client without generated code. It runs one scenario, and prints the results as one line of JSON.

    client.py ADDRESS DESCRIPTORS SCENARIO

DESCRIPTORS is a serialized FileDescriptorSet with every message that the scenarios use.
"""
import hashlib
import json
import queue
import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

BRIDGE = "/sc2bridge.v1.BridgeService/"
ANY_SIZE = [
    ("grpc.max_receive_message_length", -1),
    # Otherwise newer releases send the percent-encoded path as the authority, and Kestrel resets the connection.
    ("grpc.default_authority", "localhost"),
]


class Messages:
    def __init__(self, path):
        files = descriptor_pb2.FileDescriptorSet()
        with open(path, "rb") as file:
            files.ParseFromString(file.read())
        self.pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            self.pool.Add(file) if not hasattr(self.pool, "AddSerializedFile") else self.pool.AddSerializedFile(
                file.SerializeToString()
            )
        self.factory = (
            None if hasattr(message_factory, "GetMessageClass") else message_factory.MessageFactory(self.pool)
        )

    def __getitem__(self, name):
        descriptor = self.pool.FindMessageTypeByName(name)
        return (
            message_factory.GetMessageClass(descriptor)
            if self.factory is None
            else self.factory.GetPrototype(descriptor)
        )


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def length_delimited(data, wanted):
    """The bytes of a field, as they are in the message."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            _, at = varint(data, at)
            continue
        assert tag & 7 == 2, tag
        length, at = varint(data, at)
        if tag >> 3 == wanted:
            return data[at : at + length]
        at += length
    return None


class Scenarios:
    def __init__(self, address, messages):
        self.messages = messages
        self.channel = grpc.insecure_channel(address, options=ANY_SIZE)
        self.address = address

    def unary(self, path, request, **options):
        return self.channel.unary_unary(path)(request.SerializeToString(), **options)

    def events(self, call):
        """Hashes of the observations' original bytes, and the stream's end."""
        hashes, end = [], None
        for raw in call:
            frame = length_delimited(raw, 1)
            if frame is not None:
                hashes.append(hashlib.sha256(length_delimited(frame, 15)).hexdigest())
                continue
            event = self.messages["sc2bridge.v1.PlayResponse"].FromString(raw)
            if event.WhichOneof("event") == "match_end":
                end = self.reason(event)
        return {"hashes": hashes, "end": end, "code": call.code().name, "details": call.details()}

    def reason(self, event):
        reasons = event.match_end.DESCRIPTOR.fields_by_name["reason"].enum_type
        return reasons.values_by_number[event.match_end.reason].name

    def open(self, *messages, **options):
        """Sends these messages, and then ends the client's side."""
        requests = [message.SerializeToString() for message in messages]
        return self.channel.stream_stream(BRIDGE + "Play")(iter(requests), **options)

    def subscribe(self, **options):
        return self.open(self.messages["sc2bridge.v1.PlayRequest"](subscribe={"agent": "peer"}), **options)

    def failure(self, call):
        try:
            result = call()
            for _ in result if hasattr(result, "__next__") else ():
                pass
        except grpc.RpcError as error:
            return [error.code().name, error.details()]
        return ["OK", ""]

    def describe(self):
        raw = self.unary(BRIDGE + "Describe", self.messages["sc2bridge.v1.DescribeRequest"]())
        match = self.messages["sc2bridge.v1.DescribeResponse"].FromString(raw).match
        return {"map": match.map_name, "unit": match.data.units[0].name}

    def compressed_request(self):
        request = self.messages["sc2bridge.v1.DescribeRequest"](match_id="x" * 5000)
        with grpc.insecure_channel(self.address, options=ANY_SIZE, compression=grpc.Compression.Gzip) as channel:
            gzip = self.failure(lambda: channel.unary_unary(BRIDGE + "Describe")(request.SerializeToString()))
        with grpc.insecure_channel(self.address, options=ANY_SIZE, compression=grpc.Compression.Deflate) as channel:
            deflate = self.failure(lambda: channel.unary_unary(BRIDGE + "Describe")(request.SerializeToString()))
        return {"gzip": gzip[0], "deflate": deflate}

    def stream(self):
        return self.events(self.subscribe())

    def stream_gzip(self):
        return self.events(self.subscribe(metadata=[("sc2bridge-compression", "gzip")]))

    def play(self):
        kind = self.messages["sc2bridge.v1.PlayRequest"]
        answers = queue.Queue()
        first = kind()
        first.subscribe.agent = "peer"
        first.subscribe.policy = 1
        first.subscribe.can_act = True
        first.subscribe.perspective = 2
        answers.put(first)
        clock = kind()
        clock.clock.agent_ns = 12345
        answers.put(clock)
        call = self.channel.stream_stream(BRIDGE + "Play")(
            message.SerializeToString() for message in iter(answers.get, None)
        )
        steps, told, echoed, end = [], [], None, None

        def tell(result):
            told.append([result.request_id, *(one.result for one in result.outcomes)])

        for raw in call:
            event = self.messages["sc2bridge.v1.PlayResponse"].FromString(raw)
            what = event.WhichOneof("event")
            if what == "frame":
                steps.append(event.frame.step)
                for result in event.frame.outcomes:
                    tell(result)
                deed = kind()
                deed.actions.step = deed.actions.request_id = event.frame.step
                command = deed.actions.actions.add().action_raw.unit_command
                command.ability_id = 16
                command.unit_tags.append(2**40 + event.frame.step)
                deed.actions.actions.add()  # An action without content.
                answers.put(deed)
                answer = kind()
                answer.acknowledge.step = event.frame.step
                answers.put(answer)
            elif what == "actions_outcome":
                tell(event.actions_outcome)
            elif what == "clock":
                echoed = [event.clock.agent_ns, event.clock.bridge_ns > 0]
            elif what == "match_end":
                end = self.reason(event)
        answers.put(None)
        return {"steps": steps, "told": told, "clock": echoed, "end": end, "code": call.code().name}

    def errors(self):
        request = self.messages["sc2bridge.v1.CallGameRequest"]()
        request.request.available_maps.SetInParent()
        actions = self.messages["sc2bridge.v1.PlayRequest"]()
        actions.actions.SetInParent()
        return {
            "refused": self.failure(lambda: self.unary(BRIDGE + "CallGame", request)),
            "method": self.failure(lambda: self.unary(BRIDGE + "Nothing", request)),
            "service": self.failure(lambda: self.unary("/no.Service/Check", request)),
            "first": self.failure(lambda: self.open(actions)),
            "garbage": self.failure(lambda: self.channel.unary_unary(BRIDGE + "Describe")(b"\xff\xff\xff")),
        }

    def deadline(self):
        return {"code": self.failure(lambda: self.subscribe(timeout=0.3))[0]}

    def cancel(self):
        call = self.subscribe()
        next(call)  # The answer to the subscription.
        next(call)
        call.cancel()
        return {"code": self.failure(lambda: call)[0]}

    def health(self):
        kind = self.messages["grpc.health.v1.HealthCheckRequest"]
        answer = self.messages["grpc.health.v1.HealthCheckResponse"]
        known = [
            answer.FromString(self.unary("/grpc.health.v1.Health/Check", kind(service=name))).status
            for name in ("", "sc2bridge.v1.BridgeService")
        ]
        unknown = self.failure(lambda: self.unary("/grpc.health.v1.Health/Check", kind(service="x")))[0]
        watched = []
        for name in ("", "x"):
            call = self.channel.unary_stream("/grpc.health.v1.Health/Watch")(kind(service=name).SerializeToString())
            watched.append(answer.FromString(next(call)).status)
            call.cancel()
        return {"known": known, "unknown": unknown, "watched": watched}

    def reflection(self):
        kind = self.messages["grpc.reflection.v1.ServerReflectionRequest"]
        answer = self.messages["grpc.reflection.v1.ServerReflectionResponse"]
        service = "sc2bridge.v1.BridgeService"
        asked = [kind(list_services=""), kind(file_containing_symbol=service), kind(file_by_filename="x")]
        results = {}
        for version in ("v1", "v1alpha"):
            call = self.channel.stream_stream(f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo")
            listed, found, missing = map(answer.FromString, call(iter([one.SerializeToString() for one in asked])))
            pool = descriptor_pool.DescriptorPool()
            files = [
                descriptor_pb2.FileDescriptorProto.FromString(raw)
                for raw in found.file_descriptor_response.file_descriptor_proto
            ]
            results[version] = {
                "services": sorted(service.name for service in listed.list_services_response.service),
                "first": files[0].name,
                "whole": {name for file in files for name in file.dependency} <= {file.name for file in files},
                "missing": missing.error_response.error_code,
            }
            del pool
        return results

    def sides(self, token):
        kinds = self.messages
        query = {"query": {"pathing": []}}

        def tries(token, **asked):
            metadata = [("authorization", f"Bearer {token}")] if token else []
            play = kinds["sc2bridge.v1.PlayRequest"](subscribe={"agent": "peer", **asked})
            describe = kinds["sc2bridge.v1.DescribeRequest"](**asked)
            asked.setdefault("perspective", 2)
            call_game = kinds["sc2bridge.v1.CallGameRequest"](request=query, **asked)
            return {
                "play": lambda: self.open(play, metadata=metadata),
                "describe": lambda: self.unary(BRIDGE + "Describe", describe, metadata=metadata),
                "call_game": lambda: self.unary(BRIDGE + "CallGame", call_game, metadata=metadata),
            }

        def failures(tried):
            return [self.failure(one) for one in tried.values()]

        own = tries(token)
        return {
            "own": [self.failure(own["describe"])[0], self.failure(own["call_game"])[0]],
            "without": failures(tries(None)),
            "guessed": failures(tries("0" * 32)),
            "others": failures(tries(token, perspective=1)),
        }

    def many(self):
        calls = [self.subscribe() for _ in range(150)]
        return {"frames": [len(self.events(call)["hashes"]) for call in calls]}


if __name__ == "__main__":
    scenarios = Scenarios(sys.argv[1], Messages(sys.argv[2]))
    name, *words = sys.argv[3].split(" ")
    print(json.dumps(getattr(scenarios, name.replace("-", "_"))(*words)))
