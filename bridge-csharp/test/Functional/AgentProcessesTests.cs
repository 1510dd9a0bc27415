using Sc2Bridge.Cli;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;
using Sc2Bridge.Terminal;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Which agents a match waits for before it begins.</summary>
public sealed class AgentProcessesTests : MatchFolderTests
{
    [Fact]
    public async Task A_viewer_does_not_count_as_the_agent_that_the_match_started()
    {
        // An interpreter that never comes to its agent.
        var python = Path.Combine(Folder.Path, "python");
        await File.WriteAllTextAsync(python, "#!/bin/sh\nexec sleep 600\n", Ct);
        File.SetUnixFileMode(python, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        var servers = new BridgeServerOptions { GrpcAddress = "127.0.0.1:0", WebAddress = "127.0.0.1:0" };
        var options = new SessionOptions
        {
            Agents = [AgentSpec.Parse("late:Late@grpc")],
            Python = python,
            Policy = "every",
            Access = new AccessOptions(),
            OutputFolder = Folder.Out,
            Hub = new HubOptions(),
            Server = servers,
            AgentDeadline = TimeSpan.FromMilliseconds(1),
        };
        using var hub = new Hub(options.Hub);
        await using var server = await BridgeServer.StartAsync(hub, servers, Ct);
        await using var agents = new AgentProcesses(hub, options, new SessionAccess(options), server, static _ => { });
        agents.Start(realtime: false);
        using var viewer = Subscribe("viewer");
        var late = await Assert.ThrowsAsync<CommandException>(() => agents.WaitUntilSubscribedAsync(options, Ct));
        Assert.StartsWith("agent late-1-grpc did not subscribe within", late.Message, StringComparison.Ordinal);

        // The viewer counts for --wait.
        using var agent = Subscribe("late-1-grpc");
        await agents.WaitUntilSubscribedAsync(options with { WaitFor = 1 }, Ct);

        Subscription Subscribe(string name) =>
            hub.Subscribe(new V1.SubscribeRequest { Agent = name }, new SubscriberInfo("test", DeliverInline: false));
    }
}
