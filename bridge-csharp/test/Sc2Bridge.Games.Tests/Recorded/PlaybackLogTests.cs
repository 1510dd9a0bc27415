namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>The log shows a client's actions next to the recorded player's actions.</summary>
public sealed class PlaybackLogTests : IDisposable
{
    private readonly RecordingBuilder _builder = new();

    public void Dispose() => _builder.Dispose();

    [Fact]
    public void Orders_at_a_loop_are_listed_with_the_recorded_actions_up_to_the_next()
    {
        using (var game = PlayedGame.Joined(Recorded()))
        {
            Assert.Equal([ActionResult.Success, ActionResult.Success], game.Order("a", "b").Result);
            game.Order("c");
            game.Step();
            game.Step(3);
            game.Order("d");
            game.Step(2);
            game.Order("e");
            Assert.Equal(5, game.Totals.Actions);
            game.Ask(new Request { LeaveGame = new RequestLeaveGame() });
            Assert.Equal(
                ["0: a b c / did 1", "1:  / did 2 did 3 did 4", "4: d / did 5 did 6", "6: e / "],
                game.Noted.Select(Line));
        }
    }

    [Fact]
    public void So_many_orders_at_once_that_they_would_fill_the_memory_are_noted_in_parts()
    {
        using var game = PlayedGame.Joined(Recorded());
        game.Order([.. Enumerable.Repeat("x", 25_000)]);
        game.Step();
        Assert.Equal([10_000, 10_000, 5_000], game.Noted.Select(noted => noted.Client.Length));
        Assert.Equal(["did 1"], game.Noted[^1].Recorded);
    }

    [Fact]
    public void Long_orders_at_once_are_noted_in_parts_too()
    {
        using var game = PlayedGame.Joined(Recorded());
        game.Order([.. Enumerable.Repeat(new string('x', 1 << 20), 40)]);
        Assert.Equal([16, 16], game.Noted.Select(noted => noted.Client.Length));
    }

    [Fact]
    public async Task The_file_has_a_line_of_json_for_each_loop_at_once()
    {
        var path = _builder.Write(RecordingBuilder.Bare(0)) + ".jsonl";
        await using var notes = new PlaybackLog(path, _ => { });
        notes.LogStart(1);
        var order = new SC2APIProtocol.Action
        {
            ActionRaw = new ActionRaw { UnitCommand = new ActionRawUnitCommand { AbilityId = 4, UnitTags = { 5, 6 } } },
        };
        notes.LogActions(8, [order, PlayedGame.Say("\"gg\"\n")], []);
        notes.LogActions(9, [], [PlayedGame.Say("did")]);
        Assert.Equal(
            "{\"perspective\":1}\n"
            + "{\"gameLoop\":8,\"client\":["
            + "{\"actionRaw\":{\"unitCommand\":{\"abilityId\":4,\"unitTags\":[\"5\",\"6\"]}}},"
            + "{\"actionChat\":{\"message\":\"\\\"gg\\\"\\n\"}}],\"recorded\":[]}\n"
            + "{\"gameLoop\":9,\"client\":[],\"recorded\":[{\"actionChat\":{\"message\":\"did\"}}]}\n",
            await ReadAsync(path));
    }

    [Fact]
    public void A_file_that_cannot_be_written_is_one_clear_error()
    {
        var error = Assert.Throws<IOException>(() => new PlaybackLog("/nonexistent/actions.jsonl", _ => { }));
        Assert.StartsWith("--actions /nonexistent/actions.jsonl cannot be written", error.Message);
        Assert.DoesNotContain('\n', error.Message);
    }

    [Fact]
    public async Task A_disk_that_is_full_is_one_clear_error_and_told_once()
    {
        Assert.SkipUnless(File.Exists("/dev/full"), "There is no /dev/full here.");
        await using var notes = new PlaybackLog("/dev/full", _ => { });
        var error = Assert.Throws<IOException>(() => notes.LogStart(1));
        Assert.StartsWith("--actions /dev/full cannot be written", error.Message);
        notes.LogActions(1, [], []);
    }

    private static async Task<string> ReadAsync(string path)
    {
        await using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        using var reader = new StreamReader(file);
        return await reader.ReadToEndAsync(Ct);
    }

    private static string Line((uint Loop, string[] Client, string[] Recorded) noted) =>
        $"{noted.Loop}: {string.Join(' ', noted.Client)} / {string.Join(' ', noted.Recorded)}";

    private string Recorded() => _builder.Write(Enumerable.Range(0, 9).Select(loop => new ResponseObservation
    {
        Observation = new Observation { GameLoop = (uint)loop },
        Actions = { PlayedGame.Say($"did {loop}") },
    }.ToByteArray()));
}
