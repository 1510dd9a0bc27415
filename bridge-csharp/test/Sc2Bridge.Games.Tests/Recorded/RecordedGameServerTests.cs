using System.Net.WebSockets;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>A recording that is served as a game process.</summary>
public sealed class RecordedGameServerTests : IDisposable
{
    private readonly RecordingBuilder _builder = new();

    public void Dispose() => _builder.Dispose();

    [Fact]
    public async Task A_client_is_played_the_match_and_quits_the_game()
    {
        var path = Recorded();
        var said = new List<string>();
        string[] arguments = ["-listen", "127.0.0.1", "-port", "0", "--recording", path, "-verbose"];
        var options = RecordedGameOptions.Parse(arguments)!;
        await using var server = await RecordedGameServer.StartAsync(options, said.Add, Ct);
        using (var client = await GameSocket.ConnectAsync(server.Port))
        {
            await JoinAsync(client);
            for (var loop = 1u; loop < 9; loop++)
            {
                var stepped = await client.AskAsync(new Request { Step = new RequestStep() });
                Assert.Equal(loop, stepped.Step.SimulationLoop);
                var seen = await client.AskAsync(new Request { Observation = new RequestObservation(), Id = 7 });
                Assert.Equal((loop, 7u), (seen.Observation.Observation.GameLoop, seen.Id));
            }
        }

        // The next client finds the game in the state that the last one left.
        using var next = await GameSocket.ConnectOnceFreeAsync(server.Port);
        var again = await next.AskAsync(new Request { Observation = new RequestObservation() });
        Assert.Equal(8u, again.Observation.Observation.GameLoop);
        Assert.NotNull((await next.AskAsync(new Request { Quit = new RequestQuit() })).Quit);
        await server.Ended.WaitAsync(Ct);
        Assert.Equal(9, server.Totals.Observations);
        Assert.Empty(said);
    }

    [Fact]
    public async Task In_real_time_it_waits_for_the_clock_and_notices_who_leaves()
    {
        var options = new RecordedGameOptions { Recording = Recorded(), QuitWhenAlone = true };
        await using var server = await RecordedGameServer.StartAsync(options, _ => { }, Ct);
        using (var client = await GameSocket.ConnectAsync(server.Port))
        {
            await JoinAsync(client, realtime: true);
            var waits = new Request { Observation = new RequestObservation { GameLoop = 3 } };
            Assert.InRange((await client.AskAsync(waits)).Observation.Observation.GameLoop, 3u, 8u);
            client.Socket.Abort();
        }

        await server.Ended.WaitAsync(Ct);
    }

    [Fact]
    public async Task Missing_observations_are_reported_before_it_begins()
    {
        var said = new List<string>();
        var path = _builder.Write(RecordingBuilder.Bare(0));
        var whole = await File.ReadAllBytesAsync(path, Ct);
        await File.WriteAllBytesAsync(path, whole[..^30], Ct);
        var options = new RecordedGameOptions { Recording = path };
        await using var server = await RecordedGameServer.StartAsync(options, said.Add, Ct);
        Assert.Contains(path, Assert.Single(said));
    }

    [Fact]
    public async Task Actions_that_cannot_be_written_and_files_that_cannot_be_read_are_reported_at_once()
    {
        var options = new RecordedGameOptions { Recording = Recorded(), Actions = "/nonexistent/a" };
        await Assert.ThrowsAsync<IOException>(() => RecordedGameServer.StartAsync(options, _ => { }, Ct));
        await Assert.ThrowsAsync<Recordings.RecordingException>(
            () => RecordedGameServer.StartAsync(options with { Recording = "/nonexistent" }, _ => { }, Ct));
        await Assert.ThrowsAsync<ArgumentException>(
            () => RecordedGameServer.StartAsync(options with { Actions = null, Listen = "nowhere" }, _ => { }, Ct));
    }

    [Fact]
    public void A_command_line_asks_for_a_recording_or_does_not()
    {
        Assert.Null(RecordedGameOptions.Parse(["-port", "3"]));
        var options = RecordedGameOptions.Parse(["--recording", "a", "--strict", "--actions", "b"]);
        Assert.Equal(("a", true, "b"), (options!.Recording, options.Strict, options.Actions));
        Assert.Contains("give --recording", Refused("--strict"));
        Assert.Contains("--recording needs", Refused("--recording"));

        static string Refused(string argument) =>
            Assert.Throws<ArgumentException>(() => RecordedGameOptions.Parse([argument])).Message;
    }

    private static async Task JoinAsync(GameSocket client, bool realtime = false)
    {
        await client.AskAsync(new Request { CreateGame = PlayedGame.Create(realtime) });
        var joined = await client.AskAsync(new Request { JoinGame = PlayedGame.Participant(Race.Terran) });
        Assert.Equal(Status.InGame, joined.Status);
    }

    private string Recorded() => _builder.Write(RecordingBuilder.Loops(9));
}
