using System.Text.Json;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Matches whose options are in a configuration file.</summary>
public sealed class ConfigurationTests : MatchFolderTests
{
    private const string Ports = "grpc = \"127.0.0.1:0\"\nweb = \"127.0.0.1:0\"\n";

    private const string Options = """
        game = "simulated"
        map = "Salt Basin LE"
        seed = 7
        step-size = 4
        steps = 6
        codec-log = "full"
        no-agents = true
        out = "out"
        [[players]]
        race = "protoss"
        difficulty = "easy"
        [[players]]
        race = "zerg"
        difficulty = "medium"
        """;

    [Fact]
    public async Task The_same_match_by_options_by_file_and_by_profile_has_equal_summaries()
    {
        var byOptions = await SummaryAsync(
            null, "--game", "simulated", "--map", "Salt Basin LE", "--seed", "7", "--step-size", "4", "--steps", "6", "--codec-log", "full", "--no-agents", "--out", "out",
            "--player", "computer:protoss:easy", "--player", "computer:zerg:medium", "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0");
        Assert.Equal(byOptions, await SummaryAsync(Ports + Options));
        var profile = Options.Replace("[[players]]", "[[profiles.p.players]]", StringComparison.Ordinal);
        Assert.Equal(byOptions, await SummaryAsync($"{Ports}seed = 1\n[match]\nsteps = 2\n[profiles.p]\n{profile}", "--profile", "p"));
        Assert.Equal(byOptions, await SummaryAsync(Ports + Options.Replace("seed = 7", "seed = 8", StringComparison.Ordinal), "--seed", "7"));
    }

    [Theory]
    [InlineData("sed = 1", "sc2bridge.toml:1: unknown key 'sed'; did you mean seed?")]
    [InlineData("\nagent = \"a:B\"", "sc2bridge.toml:2: agent = a:B needs --config, as it may start programs")]
    [InlineData("out = \"../elsewhere\"", "sc2bridge.toml:1: out = ../elsewhere needs --config")]
    [InlineData("[[players]]\nrace = \"zerg\"\nagent = \"a:B\"", "sc2bridge.toml:1: agent = 1=a:B needs --config")]
    public async Task A_found_file_with_an_error_ends_the_match_before_it_begins(string text, string words)
    {
        Write(text);
        (await RunAsync("match")).Says(2, $"sc2bridge: {words}");
        Assert.Equal([Path.Combine(Folder.Path, "sc2bridge.toml")], Directory.GetFileSystemEntries(Folder.Path));
    }

    [Theory]
    [InlineData("\nsteps = 0", "sc2bridge.toml:2: --steps 0: write a whole number from 1")]
    [InlineData("rate = \"fast\"", "sc2bridge.toml:1: ")]
    [InlineData("no-recording = true\nfeature-layers = \"big\"", "sc2bridge.toml:2: ")]
    public async Task A_wrong_value_is_one_line_with_its_place(string text, string words)
    {
        Write(text);
        var ended = await RunAsync("match", "--no-agents");
        Assert.Equal(2, ended.ExitCode);
        Assert.Contains($"Options: {Path.Combine(Folder.Path, "sc2bridge.toml")}\n", ended.Told, StringComparison.Ordinal);
        Assert.StartsWith($"sc2bridge: {words}", Assert.Single(ended.Error), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("none.toml does not exist", "match", "--config", "none.toml")]
    [InlineData(". is a folder", "match", "--config", ".")]
    [InlineData("--profile p needs a configuration file", "match", "--profile", "p")]
    [InlineData("--no-config contradicts --config: leave one out", "match", "--config", "a.toml", "--no-config")]
    public async Task A_file_that_cannot_be_read_is_one_line(string words, params string[] arguments) =>
        (await RunAsync(arguments)).Says(2, $"sc2bridge: {words}");

    [Theory]
    [InlineData("", 1)]
    [InlineData("[replay]\nloop = true", 1)]
    [InlineData("quiet = true", 0)]
    [InlineData("verbose = true", 0, "--quiet")]
    [InlineData("", 0, "--quiet")]
    public async Task The_files_path_is_printed_unless_quiet_is_set(string text, int lines, params string[] options)
    {
        Write($"# Not empty\n{text}");
        var ended = await RunAsync(["export", "none.mcap", "--arrow", "a", .. options]);
        ended.Says(2, "recording or folder not found");
        Assert.Equal(lines, ended.Told.Split('\n').Count(line => line == $"Options: {Path.Combine(Folder.Path, "sc2bridge.toml")}"));
    }

    // Other programs start these commands, in any folder.
    [Theory]
    [InlineData(2, "add --GamePort PORT", "ladder", "--race", "zerg")]
    [InlineData(1, "; check that the broker runs, and that host and port are right", "work", "status", "amqp://127.0.0.1:1")]
    [InlineData(2, "recording or folder not found", "export", "none.mcap", "--arrow", "a", "--no-config")]
    public async Task Some_commands_ignore_a_found_file(int exitCode, string words, params string[] arguments)
    {
        Write("nonsense");
        (await RunAsync(arguments)).Says(exitCode, words);
    }

    [Fact]
    public async Task Init_writes_a_file_that_changes_nothing_and_does_not_replace_a_file()
    {
        Assert.Equal(0, (await RunAsync("init")).ExitCode);
        var text = await File.ReadAllTextAsync(Path.Combine(Folder.Path, "sc2bridge.toml"), TestContext.Current.CancellationToken);
        Assert.Contains("#step-size = 1\n", text, StringComparison.Ordinal);
        (await RunAsync("export", "none.mcap", "--arrow", "a")).Says(2, "recording or folder not found");
        (await RunAsync("init")).Says(2, "sc2bridge.toml already exists");
        Assert.Equal(text, await File.ReadAllTextAsync(Path.Combine(Folder.Path, "sc2bridge.toml"), TestContext.Current.CancellationToken));
    }

    private void Write(string? text)
    {
        if (text is not null)
        {
            File.WriteAllText(Path.Combine(Folder.Path, "sc2bridge.toml"), text);
        }
    }

    private async Task<Ended> RunAsync(params string[] arguments)
    {
        using var bridge = BridgeProcess.Start(["env", "-C", Folder.Path, .. BridgeProcess.Program, .. arguments]);
        return await bridge.EndAsync();
    }

    // Leaves out the slow parts.
    private async Task<string> SummaryAsync(string? text, params string[] arguments)
    {
        Write(text);
        var ended = await RunAsync(["match", .. arguments]);
        Assert.True(ended.ExitCode == 0, string.Join('\n', ended.Error));
        Assert.Empty(ended.Error);
        Assert.Equal(text is not null, ended.Told.Contains("Options: ", StringComparison.Ordinal));
        using var summary = JsonDocument.Parse(await File.ReadAllBytesAsync(Path.Combine(Folder.Out, "summary.json"), TestContext.Current.CancellationToken));
        Directory.Delete(Folder.Out, recursive: true);
        var root = summary.RootElement;
        string[] equal = ["map", "rate", "step_size", "seed", "ended", "results", "last_game_loop"];
        return string.Join('\n', equal.Select(name => $"{root.GetProperty(name)}").Append($"{root.GetProperty("figures").GetProperty("transports")}"));
    }
}
