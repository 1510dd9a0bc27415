// An agent on the official .NET client: watches the match in lockstep and prints for each step how many units it sees.
using System.Diagnostics;
using System.Security.Cryptography;
using Grpc.Core;
using Grpc.Net.Client;
using Sc2Bridge.V1;

var address = args.Length > 0 ? args[0] : "http://127.0.0.1:50051";

// By TLS (https://HOST:PORT) a bridge is known by an authority, or by its certificate alone, whose fingerprint it prints.
var handler = new SocketsHttpHandler { EnableMultipleHttp2Connections = true };
if (Environment.GetEnvironmentVariable("SC2BRIDGE_FINGERPRINT") is { Length: > 0 } known)
{
    handler.SslOptions.RemoteCertificateValidationCallback = (_, shown, _, _) =>
        shown is not null && $"sha256:{Convert.ToHexStringLower(SHA256.HashData(shown.GetRawCertData()))}" == known;
}

// A client on another machine sends a token with each call.
var headers = new Metadata();
if (Environment.GetEnvironmentVariable("SC2BRIDGE_TOKEN") is { Length: > 0 } token)
{
    headers.Add("authorization", $"Bearer {token}");
}

using var channel = GrpcChannel.ForAddress(address, new GrpcChannelOptions
{
    HttpHandler = handler,
    DisposeHttpClient = true,

    // An observation with feature layers has 737 KB, a description with GameInfo and Data about 400; leave room.
    MaxReceiveMessageSize = 64 << 20,
});
var bridge = new BridgeService.BridgeServiceClient(channel);

// The version of the protocol that this program was written for.
const uint Protocol = 1;

try
{
    var hello = await bridge.HelloAsync(new HelloRequest { ProtocolVersion = Protocol, Client = "grpc-net-client" }, headers);
    if (hello.ProtocolVersion < Protocol)
    {
        return TooOld(hello.BridgeVersion, hello.ProtocolVersion);
    }

    var match = (await bridge.DescribeAsync(new DescribeRequest { WithoutData = true }, headers)).Match;
    Console.WriteLine($"{match.MapName}{(match.Simulated ? " (simulated)" : "")}: {match.MatchId}");

    using var play = bridge.Play(headers);
    await play.RequestStream.WriteAsync(new PlayRequest
    {
        Subscribe = new SubscribeRequest { Agent = "grpc-net-client", Policy = Policy.Lockstep },
    });
    await foreach (var next in play.ResponseStream.ReadAllAsync())
    {
        switch (next.EventCase)
        {
            case PlayResponse.EventOneofCase.Frame:
                var began = Stopwatch.GetTimestamp();
                var units = next.Frame.Observation.Observation?.RawData?.Units.Count ?? 0;
                Console.WriteLine($"step {next.Frame.Step}, game loop {next.Frame.GameLoop}: {units} units");
                var times = new StepTimes
                {
                    Step = next.Frame.Step,
                    ThinkNs = (long)Stopwatch.GetElapsedTime(began).TotalNanoseconds,
                };
                await play.RequestStream.WriteAsync(new PlayRequest
                {
                    Acknowledge = new Acknowledgement { Step = next.Frame.Step, Times = { times } },
                });
                break;
            case PlayResponse.EventOneofCase.Error:
                Console.Error.WriteLine($"The bridge says: {next.Error.Message}");
                break;
            case PlayResponse.EventOneofCase.MatchEnd:
                Console.WriteLine($"The match is over: {(next.MatchEnd.Detail is "" ? next.MatchEnd.Reason : next.MatchEnd.Detail)}");
                break;
        }
    }

    return 0;
}
catch (RpcException ended) when (ended.StatusCode == StatusCode.Unimplemented)
{
    return TooOld("from before 0.1.0", protocol: 0);
}
catch (RpcException ended)
{
    // A bridge that is too new for this program refuses `Hello`, and names both versions itself.
    Console.Error.WriteLine($"{ended.StatusCode}: {ended.Status.Detail}");
    return 1;
}

int TooOld(string version, uint protocol)
{
    Console.Error.WriteLine(
        $"This program needs protocol {Protocol}, and the bridge ({version}) speaks protocol {protocol}: update the bridge.");
    return 1;
}
