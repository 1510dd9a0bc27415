using System.Text.Json;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Functional.Tests;

/// <summary><c>sc2bridge inspect --fights</c>: why a match was lost.</summary>
public sealed class AnalysisTests : MatchFolderTests
{
    private static readonly string _package = Path.Combine(PeerEnvironment.RepositoryRoot, "agent-python");

    [Theory]
    [InlineData("3m", 3)]
    [InlineData("MMM", 10)]
    public async Task The_fight_of_a_scenario_is_in_its_recording(string scenario, int units)
    {
        using (var match = Folder.Match(
            [
                "--scenario", scenario, "--player", "agent:terran", "--player", "computer:terran:VeryHard",
                "--agent", "focus_fire:FocusFire",
            ],
            [("PYTHONPATH", $"{_package}/src{Path.PathSeparator}{_package}/examples")]))
        {
            (await match.EndAsync()).Well();
        }

        var file = Path.Combine(Folder.Out, "match.mcap");
        var before = await File.ReadAllBytesAsync(file, Ct);
        var analysis = (await AnalyseAsync(file)).Analysis;
        Assert.Equal(before, await File.ReadAllBytesAsync(file, Ct));
        var fights = analysis.GetProperty("fights").EnumerateArray().ToList();
        int[] lost = [.. new[] { 0, 1 }.Select(side => fights.Sum(fight => fight.GetProperty("sides")[side].GetProperty("lost")
            .EnumerateArray().Sum(one => one.GetProperty("count").GetInt32())))];
        using var recording = RecordingReader.Open(file);
        var loser = recording.ReadEnd()!.Results.Single(result => result.Result == SC2APIProtocol.Result.Defeat).PlayerId;
        Assert.Equal(units, lost[(int)loser - 1]);
        Assert.InRange(lost[2 - (int)loser], 0, units - 1);
        Assert.All(fights, fight => Assert.Equal(3 - loser, fight.GetProperty("ahead").GetUInt32()));
        Assert.Equal([true, false], analysis.GetProperty("players").EnumerateArray().Select(one => one.GetProperty("is_observed").GetBoolean()));
    }

    [Fact]
    public async Task An_older_recording_is_analysed_once()
    {
        var file = Path.Combine(Folder.Path, "old.mcap");
        File.Copy(Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "earlier-2df1b033.mcap"), file);
        var old = SampleRecording.ReadAll(await File.ReadAllBytesAsync(file, Ct)).Given;
        var (output, first) = await AnalyseAsync(file);
        Assert.Contains($"{file}: its analysis was added to it", output, StringComparison.Ordinal);
        var kept = await File.ReadAllBytesAsync(file, Ct);
        Assert.Equal(old, SampleRecording.ReadAll(kept).Given);
        Assert.Equal([file], Directory.GetFiles(Folder.Path, "old*"));

        var (again, second) = await AnalyseAsync(file);
        Assert.DoesNotContain("added", again, StringComparison.Ordinal);
        Assert.Equal(first.GetRawText(), second.GetRawText());
        Assert.Equal(kept, await File.ReadAllBytesAsync(file, Ct));
    }

    [Fact]
    public async Task Nothing_is_added_to_a_recording_that_was_cut_off()
    {
        var whole = await File.ReadAllBytesAsync(Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "earlier-2df1b033.mcap"), Ct);
        var file = Path.Combine(Folder.Path, "cut.mcap");
        await File.WriteAllBytesAsync(file, whole[..^50], Ct);
        using var inspect = BridgeProcess.Start([.. BridgeProcess.Program, "inspect", file, "--fights"]);
        var ended = await inspect.EndAsync();
        ended.Says(1, "the file is cut off");
        Assert.Contains($"{file}: its analysis is not added to it: it is not whole", ended.Told, StringComparison.Ordinal);
        Assert.Contains("fights", ended.Output, StringComparison.Ordinal);
        Assert.Equal(whole[..^50], await File.ReadAllBytesAsync(file, Ct));
    }

    private async Task<(string Output, JsonElement Analysis)> AnalyseAsync(string file)
    {
        var json = Path.Combine(Folder.Path, "inspect.json");
        using var inspect = BridgeProcess.Start([.. BridgeProcess.Program, "inspect", file, "--fights", "--json", json]);
        var ended = await inspect.EndAsync();
        ended.Well();
        using var report = JsonDocument.Parse(await File.ReadAllTextAsync(json, Ct));
        return ($"{ended.Told}\n{ended.Output}", report.RootElement.GetProperty("analysis").Clone());
    }
}
