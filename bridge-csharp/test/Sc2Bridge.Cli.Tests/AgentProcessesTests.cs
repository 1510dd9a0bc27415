using Sc2Bridge.Server;
using Sc2Bridge.Streaming;
using Sc2Bridge.Terminal;

namespace Sc2Bridge.Cli.Tests;

/// <summary>The agents that a match starts and waits for before it begins.</summary>
public sealed class AgentProcessesTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-agents-").FullName;

    [Theory]
    [InlineData("viewer")]
    [InlineData("late-1-grpc-x")]
    public async Task A_viewer_does_not_count_as_the_agent_that_the_match_started(string name)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the interpreter is a script of the shell");

        // An interpreter that never comes to its agent.
        var python = Path.Combine(_folder, "python");
        await File.WriteAllTextAsync(python, "#!/bin/sh\nexec sleep 600\n", Ct);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(python, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        }

        var options = Options(new HubOptions()) with { Python = python };
        using var hub = new Hub(options.Hub);
        await using var server = await BridgeServer.StartAsync(hub, options.Server, Ct);
        await using var agents = new AgentProcesses(hub, options, new SessionAccess(options), server, static _ => { });
        agents.StartOnce(realtime: false);
        using var viewer = Subscribe(name);
        var late = await Assert.ThrowsAnyAsync<CommandException>(() => agents.WaitUntilSubscribedAsync(options, Ct));
        Assert.StartsWith("agent late-1-grpc did not subscribe within", late.Message, StringComparison.Ordinal);

        Subscription Subscribe(string agent) =>
            hub.Subscribe(new V1.SubscribeRequest { Agent = agent }, new SubscriberInfo("test", DeliverInline: false));
    }

    [Theory]
    [InlineData(0.5, "0.001")]
    [InlineData(1000, "0.7")]
    public async Task An_agent_prints_its_stack_before_its_deadline_but_not_after_0_seconds(double deadlineMs, string seconds)
    {
        var options = Options(new HubOptions { LockstepDeadline = TimeSpan.FromMilliseconds(deadlineMs) });
        using var hub = new Hub(options.Hub);
        await using var server = await BridgeServer.StartAsync(hub, options.Server, Ct);
        var arguments = AgentArguments.Build(options.Agents[0], 0, options, server, realtime: false);
        Assert.Equal(seconds, arguments[arguments.IndexOf("--stack-seconds") + 1]);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private SessionOptions Options(HubOptions hub) => new()
    {
        Agents = [AgentSpec.Parse("late:Late@grpc")],
        Policy = "every",
        Access = new AccessOptions(),
        OutputFolder = _folder,
        Hub = hub,
        Server = new BridgeServerOptions { GrpcAddress = "127.0.0.1:0", WebAddress = "127.0.0.1:0" },
        AgentDeadline = TimeSpan.FromMilliseconds(1),
    };
}
