using System.Net;
using System.Net.Sockets;

namespace Sc2Bridge.Functional.Tests;

/// <summary>
/// StarCraft II at <c>SC2PATH</c>: a made-up installation. Its SC2_x64 gets the arguments of the real game, and starts the
/// simulated game with them.
/// </summary>
public sealed class InstallationTests : MatchFolderTests
{
    [Fact]
    public async Task A_match_is_played_on_the_installed_game()
    {
        var arguments = Path.Combine(Folder.Path, "arguments");
        Install($"echo \"$@\" > '{arguments}'; exec {string.Join(' ', BridgeProcess.Program)} simulate \"$@\"");
        var map = Path.Combine(Folder.Path, "Maps", "Season", "CinderFortressLE.SC2Map");
        Directory.CreateDirectory(Path.GetDirectoryName(map)!);
        await File.WriteAllTextAsync(map, "", Ct);

        using var match = Match("--steps", "20", "--map", "Cinder Fortress LE", "--agent", "sc2bridge.agents:Watcher");
        var ended = await match.EndAsync();
        ended.Well();
        Assert.Contains($"Game: StarCraft II in {Folder.Path}", ended.Told, StringComparison.Ordinal);
        Assert.Contains("20 frames, loops 0-19", ended.Told, StringComparison.Ordinal);
        Assert.Matches(
            $@"^-listen 127\.0\.0\.1 -port \d+ -dataDir {Folder.Path} -tempDir \S+$",
            (await File.ReadAllTextAsync(arguments, Ct)).Trim());
        Folder.Steps().Complete(20);
    }

    [Fact]
    public async Task A_game_on_another_address_is_attached_to_and_left_running_for_the_next_match()
    {
        using var game = BridgeProcess.Start((IEnumerable<string>)["simulate", "-listen", "0.0.0.0", "-port", "0"]);
        var line = await game.LineAsync("on port ");
        var port = line.Split(' ')[^1];
        Assert.Contains($" at ws://0.0.0.0:{port}/sc2api, ", line, StringComparison.Ordinal);

        // The address differs from the address of a game that the bridge starts.
        var address = $"127.0.0.2:{port}";
        for (var time = 0; time < 2; time++)
        {
            using var folder = new MatchFolder();
            var ended = await folder.PlayAsync("--attach", address, "--steps", "20", "--agent", "sc2bridge.agents:Watcher");
            ended.Well();
            Assert.Contains($"Game: already running at {address}", ended.Told, StringComparison.Ordinal);
            Assert.Contains("simulated", ended.Output, StringComparison.Ordinal);
            folder.Steps().Complete(20);
        }

        game.Signal(BridgeProcess.Terminate);
        Assert.Equal(0, (await game.EndAsync()).ExitCode);
    }

    [Fact]
    public async Task A_game_that_crashes_at_its_start_is_one_line_with_its_last_words()
    {
        Install("echo 'Fatal: no graphics' >&2; exit 42");
        using var match = Match();
        (await match.EndAsync()).Says(
            1, "StarCraft II exited with code 42 (its last lines: Fatal: no graphics).",
            "It never listened: fix the problem that it reports.");
    }

    [Fact]
    public async Task A_game_that_hangs_at_its_start_is_given_up_and_ended()
    {
        Install("exec sleep 1000");
        using var match = Match("--start-deadline", "0.5");
        (await match.EndAsync()).Says(
            1, "No game could be reached at 127.0.0.1:", "within 0.5 s", "allow more time with --start-deadline");
    }

    [Fact]
    public async Task A_port_that_is_taken_is_named_before_the_game_starts()
    {
        Install("echo started > started");
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        var port = ((IPEndPoint)taken.LocalEndpoint).Port;
        using var match = Match("--game-port", $"{port}");
        (await match.EndAsync()).Says(1, $"Port {port} for the game cannot be used", "Choose another port");
        Assert.False(File.Exists(Path.Combine(Folder.Path, "started")));
    }

    private BridgeProcess Match(params string[] more) =>
        Folder.Match(["--game", "auto", .. more], [("SC2PATH", Folder.Path)]);

    private void Install(string script)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the made-up installation is Linux's");
        var folder = Directory.CreateDirectory(Path.Combine(Folder.Path, "Versions", "Base99999")).FullName;
        var program = Path.Combine(folder, "SC2_x64");
        File.WriteAllText(program, $"#!/bin/sh\n{script}\n");
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(program, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }
    }
}
