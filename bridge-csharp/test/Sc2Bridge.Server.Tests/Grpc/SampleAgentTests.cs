namespace Sc2Bridge.Server.Tests;

/// <summary>The sample agent, built with the solution, as a process of its own.</summary>
public sealed class SampleAgentTests
{
    [Fact]
    public async Task It_follows_a_match_in_lockstep_to_its_end()
    {
        await using var match = await ServedMatch.StartAsync();
        var running = PeerEnvironment.RunAsync("dotnet", [Program(), $"http://{match.Address}"], Ct);
        var subscribed = match.Hub.WaitForSubscribersAsync(1, Ct);
        if (await Task.WhenAny(subscribed, running) == running)
        {
            Assert.Fail($"It ended before it subscribed: {await running}");
        }

        await subscribed;
        for (var step = 0u; step < 10; step++)
        {
            await match.PublishAsync(step);
        }

        match.End();
        var agent = await running;
        Assert.Equal("", agent.Error);
        Assert.Equal(0, agent.ExitCode);
        Assert.Equal(
            [
                $"Cinder Fortress LE (simulated): {ServedMatch.Match}",
                .. Enumerable.Range(0, 10).Select(step => $"step {step}, game loop {step}: 0 units"),
                "The match is over: finished.",
            ],
            agent.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries));
    }

    // Beside this assembly's own, in the same configuration.
    private static string Program()
    {
        var framework = new DirectoryInfo(AppContext.BaseDirectory);
        return Path.Combine(
            PeerEnvironment.RepositoryRoot, "bridge-csharp", "samples", "GrpcNetClientAgent", "bin",
            framework.Parent!.Name, framework.Name, "GrpcNetClientAgent.dll");
    }
}
