using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Sc2Bridge.Server.Tests;

/// <summary>The sample agent, built with the solution, as a separate process.</summary>
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
                "The match is over: Finished",
            ],
            agent.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries));
    }

    [Fact]
    public async Task A_bridge_from_before_0_1_0_gets_one_error_with_both_versions()
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel =>
            kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http2));
        await using var bridge = builder.Build();
        bridge.Run(context =>
        {
            context.Response.ContentType = "application/grpc";
            context.Response.Headers["grpc-status"] = $"{StatusCode.Unimplemented}";
            return Task.CompletedTask;
        });
        await bridge.StartAsync(Ct);
        var agent = await PeerEnvironment.RunAsync("dotnet", [Program(), bridge.Urls.Single()], Ct);
        Assert.Equal((1, ""), (agent.ExitCode, agent.Output));
        Assert.Equal(
            "This program needs protocol 1, and the bridge (from before 0.1.0) speaks protocol 0: update the bridge.",
            agent.Error.Trim());
    }

    // In the folder next to this assembly's, in the same configuration.
    private static string Program()
    {
        var framework = new DirectoryInfo(AppContext.BaseDirectory);
        return Path.Combine(
            PeerEnvironment.RepositoryRoot, "bridge-csharp", "samples", "GrpcNetClientAgent", "bin",
            framework.Parent!.Name, framework.Name, "GrpcNetClientAgent.dll");
    }
}
