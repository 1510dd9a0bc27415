using System.Net.WebSockets;
using Sc2Bridge.Games;

namespace Sc2Bridge.Simulator.Tests;

public sealed class ServerTests
{
    [Fact]
    public async Task A_client_plays_and_a_second_one_is_refused()
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        using var client = await GameSocket.ConnectAsync(server.Port);
        await Assert.ThrowsAsync<WebSocketException>(() => GameSocket.ConnectAsync(server.Port));
        Assert.Equal(Status.Launched, (await client.AskAsync(new Request { Ping = new RequestPing() })).Status);
        Assert.Equal(Status.InitGame, (await client.AskAsync(new Request { CreateGame = Game.Create() })).Status);
        Assert.Equal(Status.InGame, (await client.AskAsync(new Request { JoinGame = Game.Join() })).Status);
        var step = new Request { Step = new RequestStep { Count = 5 } };
        Assert.Equal(5u, (await client.AskAsync(step)).Step.SimulationLoop);
        var seen = await client.AskAsync(new Request { Observation = new RequestObservation(), Id = 9 });
        Assert.Equal((5u, 9u), (seen.Observation.Observation.GameLoop, seen.Id));
        Assert.NotNull((await client.AskAsync(new Request { Quit = new RequestQuit() })).Quit);
        await server.Ended.WaitAsync(Ct);
    }

    [Fact]
    public async Task It_quits_with_its_client_when_told_so()
    {
        var options = SimulatorOptions.Parse(["-listen", "127.0.0.1", "-port", "0", "-quitWhenAlone", "-verbose"]);
        await using var server = await SimulatedGameServer.StartAsync(options, Ct);
        using (var client = await GameSocket.ConnectAsync(server.Port))
        {
            await client.Socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "", Ct);
        }

        await server.Ended.WaitAsync(Ct);
    }

    [Theory]
    [InlineData(DebugTestProcess.Types.Test.Exit)]
    [InlineData(DebugTestProcess.Types.Test.Crash)]
    public async Task It_fails_when_a_debug_command_says_so(DebugTestProcess.Types.Test test)
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        using var client = await GameSocket.ConnectAsync(server.Port);
        await client.AskAsync(new Request { CreateGame = Game.CreateForOne() });
        await client.AskAsync(new Request { JoinGame = Game.JoinAs(Race.Zerg) });
        var debug = new RequestDebug();
        debug.Debug.Add(new DebugCommand { TestProcess = new DebugTestProcess { Test = test } });
        await client.SendAsync(new Request { Debug = debug });
        await server.Ended.WaitAsync(Ct);
        await Assert.ThrowsAnyAsync<WebSocketException>(client.ReceiveBytesAsync);
    }

    [Fact]
    public void Bad_arguments_are_one_clear_error()
    {
        static string Told(params string[] arguments) =>
            Assert.Throws<ArgumentException>(() => SimulatorOptions.Parse(arguments)).Message;

        Assert.Contains("65535", Told("-port", "x"));
        Assert.Contains("-listen", Told("-listen"));
        Assert.Contains("LateResults", Told("-endQuirks", "never"));
    }

    [Fact]
    public async Task An_address_of_another_machine_is_one_clear_error()
    {
        // 203.0.113.0/24 is reserved for documentation (RFC 5737).
        var options = new SimulatorOptions { Listen = "203.0.113.5" };
        var error = await Assert.ThrowsAsync<IOException>(() => SimulatedGameServer.StartAsync(options, Ct));
        Assert.Contains("-listen 203.0.113.5", error.Message);
        Assert.DoesNotContain('\n', error.Message);
    }
}
