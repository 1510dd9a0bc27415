using System.Net.WebSockets;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Tests;

public sealed class ServerTests
{
    private static readonly CancellationToken Cancelled = TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_client_plays_and_a_second_one_is_refused()
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Cancelled);
        using var client = await Client.ConnectAsync(server);
        await Assert.ThrowsAsync<WebSocketException>(() => Client.ConnectAsync(server));
        Assert.Equal(Status.Launched, (await Client.AskAsync(client, new Request { Ping = new RequestPing() })).Status);
        var created = await Client.AskAsync(client, new Request { CreateGame = Game.Create() });
        Assert.Equal(Status.InitGame, created.Status);
        Assert.Equal(Status.InGame, (await Client.AskAsync(client, new Request { JoinGame = Game.Join() })).Status);
        var stepped = await Client.AskAsync(client, new Request { Step = new RequestStep { Count = 5 } });
        Assert.Equal(5u, stepped.Step.SimulationLoop);
        var seen = await Client.AskAsync(client, new Request { Observation = new RequestObservation(), Id = 9 });
        Assert.Equal((5u, 9u), (seen.Observation.Observation.GameLoop, seen.Id));
        Assert.NotNull((await Client.AskAsync(client, new Request { Quit = new RequestQuit() })).Quit);
        await server.Ended.WaitAsync(Cancelled);
    }

    [Fact]
    public async Task Garbage_closes_the_connection_and_the_game_stays()
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Cancelled);
        using var client = await Client.ConnectAsync(server);
        await client.SendAsync(new byte[] { 0xff, 0xff, 0x03 }, WebSocketMessageType.Binary, true, Cancelled);
        var received = await client.ReceiveAsync(new byte[16].AsMemory(), Cancelled);
        Assert.Equal(WebSocketMessageType.Close, received.MessageType);
        Assert.False(server.Ended.IsCompleted);
    }

    [Fact]
    public async Task It_quits_with_its_client_when_told_so()
    {
        var options = SimulatorOptions.Parse(["-listen", "127.0.0.1", "-port", "0", "-quitWhenAlone", "-verbose"]);
        await using var server = await SimulatedGameServer.StartAsync(options, Cancelled);
        using (var client = await Client.ConnectAsync(server))
        {
            await client.CloseAsync(WebSocketCloseStatus.NormalClosure, "", Cancelled);
        }

        await server.Ended.WaitAsync(Cancelled);
    }

    [Fact]
    public async Task A_folder_of_observations_is_answered_byte_for_byte_and_then_the_game_has_ended()
    {
        var folder = Directory.CreateTempSubdirectory("observations");
        try
        {
            // An unknown field and fields out of order: bytes that no serializer of ours would write.
            byte[][] messages = [[0x1a, 0x02, 0x48, 0x07, 0xf8, 0x7f, 0x01], [0x2a, 0x00, 0x1a, 0x00]];
            await File.WriteAllBytesAsync(Path.Combine(folder.FullName, "1.pb"), messages[0], Cancelled);
            await File.WriteAllBytesAsync(Path.Combine(folder.FullName, "2.pb"), messages[1], Cancelled);
            var options = new SimulatorOptions { ObservationFolder = folder.FullName };
            var game = Game.Joined(Game.Create(), options: options);
            foreach (var (message, status) in messages.Zip([Status.InGame, Status.Ended]))
            {
                var output = new System.Buffers.ArrayBufferWriter<byte>();
                game.Begin(new Request { Observation = new RequestObservation() });
                Assert.True(game.TryFinish(output));
                Assert.Equal(message, output.WrittenSpan.Slice(2, message.Length).ToArray());
                Assert.Equal(status, Response.Parser.ParseFrom(output.WrittenSpan).Status);
            }
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Theory]
    [InlineData(DebugTestProcess.Types.Test.Exit)]
    [InlineData(DebugTestProcess.Types.Test.Crash)]
    public async Task It_fails_where_a_debug_command_says_so(DebugTestProcess.Types.Test test)
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Cancelled);
        using var client = await Client.ConnectAsync(server);
        await Client.AskAsync(client, new Request { CreateGame = Game.CreateForOne() });
        await Client.AskAsync(client, new Request { JoinGame = Game.JoinAs(Race.Zerg) });
        var debug = new RequestDebug();
        debug.Debug.Add(new DebugCommand { TestProcess = new DebugTestProcess { Test = test } });
        await client.SendAsync(new Request { Debug = debug }.ToByteArray(), WebSocketMessageType.Binary, true, Cancelled);
        await server.Ended.WaitAsync(Cancelled);
    }

    [Fact]
    public void Bad_arguments_are_one_clear_error()
    {
        Assert.Contains("65535", Wrong("-port", "x"));
        Assert.Contains("-listen", Wrong("-listen"));
        Assert.Contains("LateResults", Wrong("-endQuirks", "never"));

        static string Wrong(params string[] arguments) =>
            Assert.Throws<ArgumentException>(() => SimulatorOptions.Parse(arguments)).Message;
    }
}
