// An agent on the official .NET client: watches the match in lockstep and says each step how many units it sees.
using System.Diagnostics;
using Grpc.Core;
using Grpc.Net.Client;
using Sc2Bridge.V1;

var address = args.Length > 0 ? args[0] : "http://127.0.0.1:50051";
using var channel = GrpcChannel.ForAddress(address, new GrpcChannelOptions
{
    // An observation with feature layers has 737 KB, a description with GameInfo and Data about 400; leave room.
    MaxReceiveMessageSize = 64 << 20,
});
var bridge = new Bridge.BridgeClient(channel);

try
{
    var match = await bridge.DescribeAsync(new DescribeRequest { WithoutData = true });
    Console.WriteLine($"{match.MapName}{(match.Simulated ? " (simulated)" : "")}: {match.MatchId}");

    using var play = bridge.Play();
    await play.RequestStream.WriteAsync(new AgentMessage
    {
        Subscribe = new SubscribeRequest { Agent = "grpc-net-client", Policy = Policy.Lockstep },
    });
    await foreach (var next in play.ResponseStream.ReadAllAsync())
    {
        switch (next.EventCase)
        {
            case Event.EventOneofCase.Frame:
                var began = Stopwatch.GetTimestamp();
                var units = next.Frame.Observation.Observation?.RawData?.Units.Count ?? 0;
                Console.WriteLine($"step {next.Frame.Step}, game loop {next.Frame.GameLoop}: {units} units");
                var times = new StepTimes
                {
                    Step = next.Frame.Step,
                    ThinkNs = (long)Stopwatch.GetElapsedTime(began).TotalNanoseconds,
                };
                await play.RequestStream.WriteAsync(new AgentMessage
                {
                    Acknowledge = new Acknowledgement { Step = next.Frame.Step, Times = { times } },
                });
                break;
            case Event.EventOneofCase.Error:
                Console.Error.WriteLine($"The bridge says: {next.Error.Message}");
                break;
            case Event.EventOneofCase.MatchEnd:
                Console.WriteLine($"The match is over: {next.MatchEnd.Reason}.");
                break;
        }
    }

    return 0;
}
catch (RpcException ended)
{
    Console.Error.WriteLine($"{ended.StatusCode}: {ended.Status.Detail}");
    return 1;
}
