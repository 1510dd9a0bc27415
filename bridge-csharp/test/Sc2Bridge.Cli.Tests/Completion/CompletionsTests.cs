namespace Sc2Bridge.Cli.Tests;

public sealed class CompletionsTests
{
    [Theory]
    [InlineData("sc2bridge ma", "match")]
    [InlineData("/a/path/sc2bridge.exe insp", "inspect")]
    [InlineData("sc2bridge match --ra", "--rate")]
    [InlineData("sc2bridge match --rate 5 --ra", "")]
    [InlineData("sc2bridge match --player computer:zerg:hard --playe", "--player")]
    [InlineData("sc2bridge match --rate ", "max 16 22.4 realtime")]
    [InlineData("sc2bridge match --rate=r", "--rate=realtime")]
    [InlineData("sc2bridge match --game ", "auto starcraft simulated")]
    [InlineData("sc2bridge match --no-agents --polic", "--policy")]
    [InlineData("sc2bridge match --map \"Cinder Fortress LE\" --policy l", "latest lockstep")]
    [InlineData("sc2bridge match --map c", "CinderFortressLE")]
    [InlineData("sc2bridge match --map \"cinder f", "Cinder Fortress LE")]
    [InlineData("sc2bridge match --map='cinder f", "--map=Cinder Fortress LE")]
    [InlineData("sc2bridge match --map it\\'s c", "")]
    [InlineData("sc2bridge match --scenario 3", "3m 3s_vs_5z")]
    [InlineData("sc2bridge match --player ", "agent: api: computer:")]
    [InlineData("sc2bridge match --player api:t", "api:terran")]
    [InlineData("sc2bridge match --player computer:t", "computer:terran:")]
    [InlineData("sc2bridge match --player computer:terran:har", "computer:terran:hard computer:terran:harder")]
    [InlineData("sc2bridge match --player=computer:zerg:elite:r", "--player=computer:zerg:elite:randombuild --player=computer:zerg:elite:rush")]
    [InlineData("sc2bridge match --out ", "")]
    [InlineData("sc2bridge ladder --race p", "protoss")]
    [InlineData("sc2bridge work s", "submit status")]
    [InlineData("sc2bridge work submit --st", "--steps --step-size")]
    [InlineData("sc2bridge help re", "replay record relay")]
    [InlineData("sc2bridge completion ", "bash fish powershell zsh")]
    [InlineData("sc2bridge nonsense ", "match ladder replay")]
    [InlineData("sc2bridge", "match ladder replay")]
    [InlineData("", "match ladder replay")]
    [InlineData("sc2bridge match \"unfinished ", "")]
    public void A_word_becomes_what_the_program_takes(string line, string words)
    {
        var found = string.Join(' ', Completions().Suggest(line));
        Assert.Equal(words, words.EndsWith("replay", StringComparison.Ordinal) && found.Length > words.Length ? found[..words.Length] : found);
    }

    [Fact]
    public void Recordings_and_replays_are_files_of_their_kind_and_folders()
    {
        var folder = Directory.CreateTempSubdirectory("sc2bridge-completion-").FullName;
        try
        {
            Directory.CreateDirectory(Path.Combine(folder, "folder"));
            foreach (var name in (string[])["a.mcap", "b.SC2Replay", "c.txt", ".d.mcap"])
            {
                File.WriteAllText(Path.Combine(folder, name), "");
            }

            Assert.Equal([$"{folder}/a.mcap", $"{folder}/b.SC2Replay", $"{folder}/folder/"], Completions().Suggest($"sc2bridge replay {folder}/"));
            Assert.Equal([$"{folder}/a.mcap", $"{folder}/folder/"], Completions().Suggest($"sc2bridge inspect --fights {folder}/"));
            Assert.Equal([$"{folder}/b.SC2Replay"], Completions().Suggest($"sc2bridge record {folder}/b"));
            Assert.Empty(Completions().Suggest($"sc2bridge replay {folder}/none/"));

            // A word with a blank is one word.
            File.WriteAllText(Path.Combine(folder, "folder", "my match.mcap"), "");
            Assert.Equal([$"{folder}/folder/my match.mcap"], Completions().Suggest($"sc2bridge inspect {folder}/folder/my\\ m"));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static Completions Completions()
    {
        var (root, options) = ConfigurationCase.Make();
        return new(root, options);
    }
}
