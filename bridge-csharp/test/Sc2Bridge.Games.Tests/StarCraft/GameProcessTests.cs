using System.Net;
using System.Net.Sockets;

namespace Sc2Bridge.Games.Tests.StarCraft;

/// <summary>A made-up installation. Its SC2_x64 is a shell script that starts the stand-in with the real game's arguments.</summary>
public sealed class GameProcessTests : IDisposable
{
    private readonly string _root = Directory.CreateTempSubdirectory("sc2bridge-test-").FullName;

    private string ArgumentsFile => Path.Combine(_root, "arguments");

    public void Dispose() => Directory.Delete(_root, recursive: true);

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task A_match_is_played_on_a_launched_game_with_the_real_ones_arguments()
    {
        var launch = Install("play");
        Directory.CreateDirectory(Path.Combine(_root, "Maps", "Season"));
        await File.WriteAllTextAsync(Path.Combine(_root, "Maps", "Season", "CinderFortressLE.SC2Map"), "", Ct);
        launch = GameLaunch.StarCraft(Installation.Find(new Machine(_root))) with { MoreArguments = ["-verbose"] };
        await using (var source = new StarCraftSource(new MatchSettings(), launch))
        {
            await source.StartAsync(Ct);
            for (var step = 0; step < 3; step++)
            {
                (await source.NextAsync(Ct))!.Release();
            }

            Assert.False(source.Description.Simulated);
        }

        var arguments = await File.ReadAllTextAsync(ArgumentsFile, Ct);
        Assert.Matches($@"^-listen 127\.0\.0\.1 -port \d+ -dataDir {_root} -tempDir \S+ -verbose$", arguments.Trim());
        Assert.False(Directory.Exists(arguments.Split(' ')[7]));
    }

    [Fact]
    public async Task A_game_that_crashes_at_its_start_is_one_clear_error()
    {
        await using var source = new StarCraftSource(new MatchSettings(), Install("crash"));
        var failure = await Assert.ThrowsAsync<GameException>(() => source.StartAsync(Ct));
        Assert.Equal(
            "StarCraft II exited with code 42 (its last lines: loading the map | Fatal: out of cheese). " +
            "It never listened: fix the problem that it reports.",
            failure.Message);
    }

    [Fact]
    public async Task A_game_that_crashes_in_a_match_is_one_clear_error()
    {
        await using var source = new StarCraftSource(new MatchSettings(), Install("crash-in-game"));
        await source.StartAsync(Ct);
        (await source.NextAsync(Ct))!.Release();
        var failure = await Assert.ThrowsAsync<GameException>(async () => await source.NextAsync(Ct));
        Assert.EndsWith(
            "StarCraft II exited with code 43 (its last lines: Fatal: lost its mind).", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_port_in_use_is_named_before_anything_starts()
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        var port = ((IPEndPoint)taken.LocalEndpoint).Port;
        await using var source = new StarCraftSource(new MatchSettings(), Install("play") with { Port = port });
        var failure = await Assert.ThrowsAsync<GameException>(() => source.StartAsync(Ct));
        Assert.StartsWith($"Port {port} for the game cannot be used", failure.Message, StringComparison.Ordinal);
        Assert.False(File.Exists(ArgumentsFile));
    }

    [Fact]
    public async Task A_game_that_never_listens_is_one_clear_error_and_is_not_left_behind()
    {
        var launch = GameLaunch.SimulatedGame("/bin/sh", "-c", $"echo $$ > {_root}/pid; exec sleep 1000") with
        {
            StartTimeout = TimeSpan.FromSeconds(2),
        };
        await using (var source = new StarCraftSource(new MatchSettings(), launch))
        {
            var failure = await Assert.ThrowsAsync<GameException>(() => source.StartAsync(Ct));
            Assert.Contains("within 2 s (connection refused)", failure.Message, StringComparison.Ordinal);
        }

        await WaitUntilGoneAsync(int.Parse(await File.ReadAllTextAsync($"{_root}/pid", Ct)));
    }

    [Fact]
    public async Task A_game_whose_port_was_taken_before_it_listened_starts_again_on_another()
    {
        // The first game waits until its port is taken, and exits. The program that took the port never answers.
        var launch = Install("play", $"""
            if mkdir {_root}/first; then
                echo "$4" > {_root}/port; while [ ! -e {_root}/taken ]; do sleep 0.05; done
                echo 'the port is in use' >&2; exit 1
            fi
            """);
        await using var source = new StarCraftSource(new MatchSettings(), launch);
        var starting = source.StartAsync(Ct);
        await HoldsAsync(() => new FileInfo($"{_root}/port") is { Exists: true, Length: > 0 });
        using var taker = new TcpListener(IPAddress.Loopback, int.Parse(await File.ReadAllTextAsync($"{_root}/port", Ct)));
        taker.Start();
        await File.WriteAllTextAsync($"{_root}/taken", "", Ct);
        await starting;
        (await source.NextAsync(Ct))!.Release();
    }

    [Fact]
    public async Task A_missing_program_is_named()
    {
        await using var source = new StarCraftSource(new MatchSettings(), GameLaunch.SimulatedGame("/nowhere/game"));
        var failure = await Assert.ThrowsAsync<GameException>(() => source.StartAsync(Ct));
        Assert.Contains("'/nowhere/game' does not exist", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("127.0.0.1:5000", "ws://127.0.0.1:5000/sc2api")]
    [InlineData("gaming-pc:5000", "ws://gaming-pc:5000/sc2api")]
    [InlineData("[::1]:5000", "ws://[::1]:5000/sc2api")]
    public void An_address_to_attach_to_is_read(string text, string api) =>
        Assert.Equal((text, api), ($"{GameAddress.Parse(text)}", $"{GameAddress.Parse(text).Api}"));

    [Theory]
    [InlineData("")]
    [InlineData("5000")]
    [InlineData(":5000")]
    [InlineData("host:")]
    [InlineData("host:0")]
    [InlineData("host:99999")]
    public void An_invalid_address_is_refused(string text) =>
        Assert.Contains("give HOST:PORT", Assert.Throws<GameException>(() => GameAddress.Parse(text)).Message, StringComparison.Ordinal);

    private static async Task WaitUntilGoneAsync(int pid)
    {
        while (Directory.Exists($"/proc/{pid}") && !(await File.ReadAllTextAsync($"/proc/{pid}/stat", Ct)).Contains(") Z "))
        {
            await Task.Delay(10, Ct);
        }
    }

    private GameLaunch Install(string mode, string before = "")
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the made-up installation is a shell script");
        var folder = Directory.CreateDirectory(Path.Combine(_root, "Versions", "Base99999")).FullName;
        var script = Path.Combine(folder, "SC2_x64");
        var program = Path.Combine(AppContext.BaseDirectory, "Sc2Bridge.Games.Tests");
        File.WriteAllText(script, $"#!/bin/sh\necho \"$@\" > {ArgumentsFile}\n{before}\nexec {program} stand-in {mode} \"$@\"\n");
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(script, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }

        return GameLaunch.StarCraft(Installation.Find(new Machine(_root)));
    }

    private sealed class Machine(string root) : ISystemEnvironment
    {
        private readonly SystemEnvironment _this = new();

        public GamePlatform Platform => GamePlatform.Linux;

        public string Home => root;

        public string Documents => root;

        public string? Variable(string name) => name == "SC2PATH" ? root : null;

        public bool FileExists(string path) => _this.FileExists(path);

        public bool FolderExists(string path) => _this.FolderExists(path);

        public IEnumerable<string> Folders(string path) => _this.Folders(path);

        public IEnumerable<string> FilesBelow(string path, string extension) => _this.FilesBelow(path, extension);

        public string ReadText(string path) => _this.ReadText(path);

        public bool MayExecute(string path) => _this.MayExecute(path);

        public string? RegistryValue(string key, string name) => null;
    }
}
