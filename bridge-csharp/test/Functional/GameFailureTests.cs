using System.Net.WebSockets;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Functional.Tests;

/// <summary>A game that exits, disconnects or sends invalid data in the middle of a match.</summary>
public sealed class GameFailureTests : MatchFolderTests
{
    private const uint Last = 5;
    [Fact]
    public async Task A_killed_game_ends_the_match_with_one_line()
    {
        using var match = Folder.Match("--agent", "sc2bridge.agents:Watcher", "--rate", "100");
        await match.UntilAsync(() => Folder.StepsSoFar() >= 20);
        BridgeProcess.Signal(match.Games().Single(), BridgeProcess.KillSignal);
        var ended = await match.EndAsync();
        ended.Says(1, "The simulated game was ended by signal 9", "Start the match again");
        Assert.Contains("[watcher-1-shm]", ended.Told, StringComparison.Ordinal);
        Assert.Contains("\"aborted\": true", await File.ReadAllTextAsync(Path.Combine(Folder.Out, "summary.json"), TestContext.Current.CancellationToken), StringComparison.Ordinal);
        Folder.Steps().Complete(20);
        Folder.AgentsHeard("watcher-1-shm");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task A_game_killed_while_the_match_waits_for_subscribers_ends_it(int killed)
    {
        string[] players = killed == 0 ? [] : ["--player", "agent:zerg", "--player", "agent:terran"];
        using var match = Folder.Match([.. players, "--wait", "1", "--agent", "sc2bridge.agents:Watcher"]);
        await match.LineAsync("gRPC on");
        BridgeProcess.Signal(match.Games()[killed], BridgeProcess.KillSignal);

        // The match waits for an agent that never connects.
        var ended = await match.EndAsync();
        ended.Says(1, "The simulated game was ended by signal 9", "Start the match again");
        // Two sides may not see each other, and shared memory is off.
        Assert.Contains(killed == 0 ? "[watcher-1-shm]" : "[watcher-1-proto]", ended.Told, StringComparison.Ordinal);

        // The other player's game may answer for the first step before the match ends.
        Assert.InRange(Folder.Steps().Rows.Count, 0, killed);
    }

    [Theory]
    [InlineData("cut", "The game closed its connection in the middle of a message")]
    [InlineData("gone", "The game's connection broke")]
    [InlineData("garbage", "is not a Response")]
    [InlineData("truncated", "is not a Response")]
    [InlineData("hollow", "is not a ResponseObservation")]
    [InlineData("text", "The game sent text")]
    [InlineData("frame", "The game's connection broke")]
    public async Task Invalid_data_from_a_game_ends_the_match_with_one_line_and_a_complete_log(string nonsense, string words)
    {
        await using var game = ScriptedGame.Start(connection => PlayAsync(connection, nonsense));
        (await Folder.PlayAsync("--attach", game.Address.ToString())).Says(1, words, "Start the match again");
        var steps = Folder.Steps();
        steps.Complete((int)Last);
        Assert.Equal(Last, (uint)steps.Rows.Count);
    }

    [Fact]
    public async Task A_ladder_game_that_stops_answering_is_detected_and_disconnected()
    {
        await using var game = ScriptedGame.Start(connection => PlayAsync(connection, "nothing"));
        using var ladder = BridgeProcess.Start(
            [
                .. BridgeProcess.Program, "ladder", "--GamePort", $"{game.Address.Port}", "--race", "terran",
                "--game-deadline", "1", "--no-agents", "--out", Folder.Out,
            ]);
        (await ladder.EndAsync()).Says(1, "The game hangs: no answer to", "in 1 s", Folder.Out);
        Folder.Steps().Complete((int)Last);
    }

    private static async Task PlayAsync(ScriptedConnection connection, string nonsense)
    {
        var game = new StandInGame();
        while (await connection.ReadAsync() is { } request)
        {
            var response = game.Answer(request)!;
            response.Id = request.Id;
            if (response.Observation?.Observation.GameLoop == Last)
            {
                await TalkNonsenseAsync(connection, nonsense, response.ToByteArray());
                while (await connection.ReadAsync() is not null)
                {
                }

                return;
            }

            await connection.SendAsync(response.ToByteArray());
        }
    }

    private static async Task TalkNonsenseAsync(ScriptedConnection connection, string nonsense, byte[] answer)
    {
        switch (nonsense)
        {
            case "cut":
                await connection.SendAsync(answer[..8], end: false);
                connection.Cut();
                break;
            case "nothing":
                break;
            case "gone":
                connection.Cut();
                break;
            case "garbage":
                var garbage = new byte[1000];
                new Random(5).NextBytes(garbage);
                await connection.SendAsync(garbage);
                break;
            case "truncated":
                await connection.SendAsync(answer[..(answer.Length / 2)]);
                break;
            case "hollow":
                // A complete answer with a cut-off observation: field 10 does not contain a valid message.
                var hollow = new Response { Id = Response.Parser.ParseFrom(answer).Id, Status = Status.InGame };
                await connection.SendAsync([.. hollow.ToByteArray(), 0x52, 3, 0x0A, 0x7F, 0x08]);
                break;
            case "text":
                await connection.SendAsync("hello"u8.ToArray(), WebSocketMessageType.Text);
                break;
            default:
                // A frame with reserved bits and an undefined opcode.
                await connection.Stream.WriteAsync(new byte[] { 0xFF, 5, 1, 2, 3, 4, 5 });
                break;
        }
    }
}
