using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Functional.Tests;

/// <summary>The findings and the advice of <c>sc2bridge doctor</c>.</summary>
public sealed class DoctorTests : MatchFolderTests
{
    private string Root => Path.Combine(Folder.Path, "StarCraftII");

    private string Report => Path.Combine(Folder.Path, "report.json");

    [Fact]
    public async Task Without_the_game_a_match_is_possible_and_the_advice_says_how_to_install_the_game()
    {
        var ended = await DoctorAsync();
        ended.Well();
        Assert.Equal(["StarCraft II"], Of("note"));
        Assert.Contains("note     StarCraft II: not installed", ended.Output, StringComparison.Ordinal);
        Assert.Contains("s2client-proto#downloads", ended.Output, StringComparison.Ordinal);
        Assert.Contains("'Cinder Fortress LE' is Cinder Fortress LE", ended.Output, StringComparison.Ordinal);
        Assert.EndsWith("a match can be played", ended.Output.Trim(), StringComparison.Ordinal);

        // The report is shown to others.
        Assert.Contains("looked in ~/StarCraftII", await File.ReadAllTextAsync(Report, Ct), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_complete_installation_has_no_problem()
    {
        new MadeUpInstallation(Root).Add(75689);
        await AddMapAsync();
        var ended = await DoctorAsync();
        ended.Well();
        Assert.Empty(Of("note"));
        Assert.Contains($"StarCraft II: in {Root}, by SC2PATH", ended.Output, StringComparison.Ordinal);
        Assert.Contains($"maps: 1 in {Root}/Maps, 'Cinder Fortress LE' is Season/CinderFortressLE.SC2Map", ended.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Each_fault_of_a_broken_installation_says_what_to_do()
    {
        new MadeUpInstallation(Root).Add(99999).Add(75689).Add(1234);
        var program = Path.Combine(Root, "Versions", "Base99999", "SC2_x64");
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(program, UnixFileMode.UserRead);
        }

        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        var ended = await DoctorAsync(
            "--grpc", $"{taken.LocalEndpoint}", "--python", Path.Combine(Folder.Path, "no-python"), "--map", "Ashen Terrace LE");
        Assert.Equal(1, ended.ExitCode);
        Assert.Equal(["permissions", "maps", "port", "Python"], Of("problem"));
        Assert.Equal(["builds", "builds"], Of("note"));
        Assert.All(
            new[]
            {
                "75689, 99999; 99999 came after 75689", "sc2bridge doctor --play", "Base1234 is ignored",
                $"{program} may not be executed", $"chmod +x '{program}'",
                $"0 in {Root}/Maps, none is 'Ashen Terrace LE'", "s2client-proto#map-packs", "another map with --map",
                $"{taken.LocalEndpoint} is not available", "name another address with --grpc",
                "no-python' cannot be started", "name an interpreter with --python", "4 problems to fix",
            },
            words => Assert.Contains(words, ended.Output, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("--attach", "127.0.0.1:5000")]
    [InlineData("--start-deadline", "5")]
    [InlineData("--game-deadline", "5")]
    [InlineData("--part-limit", "5")]
    public async Task Options_for_playing_are_refused_if_no_game_is_played(string flag, string value)
    {
        var ended = await DoctorAsync(flag, value);
        Assert.Equal(2, ended.ExitCode);
        Assert.Contains($"{flag} is for playing on the game: add --play", string.Join(" ", ended.Error), StringComparison.Ordinal);
        Assert.False(File.Exists(Report));
    }

    [Fact]
    public async Task The_named_game_is_checked()
    {
        var wanted = await DoctorAsync("--game", "starcraft");
        Assert.Equal(1, wanted.ExitCode);
        Assert.Equal(["StarCraft II"], Of("problem"));

        // The simulated game needs no file of a broken installation.
        Directory.CreateDirectory(Path.Combine(Root, "Versions"));
        var broken = await DoctorAsync();
        Assert.Equal(1, broken.ExitCode);
        (await DoctorAsync("--game", "simulated")).Well();
        Assert.Equal(1, (await DoctorAsync("--game", "simulated", "--map", "No Such LE")).ExitCode);
        Assert.Equal(["maps"], Of("problem"));
    }

    [Fact]
    public async Task A_running_game_is_checked_only_by_playing()
    {
        Directory.CreateDirectory(Path.Combine(Root, "Versions"));
        var ended = await DoctorAsync("--play", "--attach", "nowhere");
        Assert.Equal(1, ended.ExitCode);
        Assert.Equal(["game"], Of("problem"));
    }

    [Fact]
    public async Task An_interpreter_without_the_package_gets_advice_to_install_it()
    {
        var bare = Path.Combine(Folder.Path, "bare");
        await File.WriteAllTextAsync(bare, "#!/bin/sh\nunset PYTHONPATH\nexec python3 -I -S \"$@\"\n", Ct);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(bare, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        }

        var ended = await DoctorAsync("--python", bare);
        Assert.Equal(["Python"], Of("problem"));
        Assert.Contains($"Run: {bare} -m pip install sc2bridge", ended.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_simulated_game_does_not_differ_from_itself()
    {
        var ended = await PlayAsync("--game", "simulated");
        ended.Well();
        Assert.Empty(Of("note"));
        Assert.Empty(Differences());
        Assert.DoesNotContain("to report this", ended.Told, StringComparison.Ordinal);
        Assert.Equal(JsonValueKind.Null, Read().GetProperty("issue").ValueKind);
        Assert.Equal(["bridge", "proxy", "replay", "real time", "requests"], Parts());
        Assert.InRange(Play.GetProperty("common_fields").GetInt32(), 200, 1000);
        Assert.Equal(
            (180, 147, 0),
            (Play.GetProperty("observations").GetInt32(), Play.GetProperty("requests").GetInt32(), Play.GetProperty("requests_not_compared").GetInt32()));
    }

    [Theory]
    [InlineData("4.10", 75689, "B89B5D6FA7CBF6452E721311BFBC6CB2", "abilities", "units")]
    [InlineData("5.0.14", 93333, "446907060311FB1CC29EB31E547BB9FD")]
    public async Task Known_differences_of_a_build_are_not_new(string name, int build, string data, params string[] known)
    {
        new MadeUpInstallation(Root).Add(build, "--build", name);
        await AddMapAsync();
        (await PlayAsync()).Well();
        Assert.Equal(
            ($"{name}.simulated", build, data),
            (Play.GetProperty("game_version").GetString(), Play.GetProperty("base_build").GetInt32(), Play.GetProperty("data_version").GetString()));
        Assert.Equal(known, Differences().Select(difference => difference.GetProperty("what").GetString()));
        Assert.All(Differences(), difference => Assert.Contains("came with 5.0.0", difference.GetProperty("known").GetString(), StringComparison.Ordinal));
        Assert.DoesNotContain("differences", Of("note"));
    }

    [Fact]
    public async Task A_build_that_differs_in_three_ways_has_three_new_differences()
    {
        await using var game = await ChangedGame.StartAsync(static (request, answer, before) =>
        {
            if (answer.Observation is { } observed)
            {
                observed.Observation.Score = null;
            }

            if (request.LeaveGame is not null && answer.Error.Count == 0)
            {
                answer.Status = Status.Ended;
            }

            if (request.StartReplay is not null && before == Status.InitGame)
            {
                answer.Error.Clear();
                answer.StartReplay = new ResponseStartReplay { Error = ResponseStartReplay.Types.Error.LaunchError };
            }
        });
        var ended = await PlayAsync("--attach", $"127.0.0.1:{game.Port}");
        ended.Well();
        Assert.Equal(["differences"], Of("note"));
        Assert.Equal(
            [
                "  new: field observation.score: the game: missing; simulated: 180 times (bridge, proxy, replay)",
                "  new: answer start_replay: the game: error LaunchError, then init_game; simulated: refused, then init_game (init_game)",
                "  new: answer leave_game: the game: ok, then ended; simulated: ok, then launched (in_game, realtime, observer, in_replay, ended)",
            ],
            ended.Output.Split('\n').Where(line => line.StartsWith("  new: ", StringComparison.Ordinal)));
        Assert.Equal(3, Differences().Count);
        var link = Read().GetProperty("issue").GetString()!;
        Assert.Contains(link, ended.Told, StringComparison.Ordinal);
        Assert.StartsWith("https://github.com/", link, StringComparison.Ordinal);
        Assert.Contains("attached `report.json`", Uri.UnescapeDataString(link), StringComparison.Ordinal);
        Assert.Contains("- new: field observation.score", Uri.UnescapeDataString(link), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_part_that_fails_does_not_stop_the_others()
    {
        await using var game = await ChangedGame.StartAsync(static (request, answer, _) =>
        {
            if (request.SaveReplay is not null)
            {
                answer.ClearResponse();
                answer.Error.Add("no replays here");
            }
        });
        var ended = await PlayAsync("--attach", $"127.0.0.1:{game.Port}");
        Assert.Equal(1, ended.ExitCode);
        Assert.Equal(["proxy", "replay"], Of("problem"));
        Assert.Contains("no replays here", ended.Output, StringComparison.Ordinal);
        Assert.Contains("ok       real time: ", ended.Output, StringComparison.Ordinal);
        Assert.Contains(Differences(), difference => difference.GetProperty("what").GetString() == "save_replay");
    }

    [Fact]
    public async Task A_game_that_hangs_in_one_part_plays_the_next_part()
    {
        await using var game = await ChangedGame.StartAsync(static (_, _, _) => { }, Request.RequestOneofCase.StartReplay);
        var ended = await DoctorAsync("--play", "--attach", $"127.0.0.1:{game.Port}", "--part-limit", "20");
        Assert.Equal(1, ended.ExitCode);
        Assert.Equal(["replay"], Of("problem"));
        Assert.Contains("PROBLEM  replay: not complete after 20 s", ended.Output, StringComparison.Ordinal);
        Assert.Contains("ok       real time: ", ended.Output, StringComparison.Ordinal);
        Assert.Matches(@"note     requests: not complete after 20 s: \d+ requests were not compared", ended.Output);
    }

    [Fact]
    public async Task Differences_in_a_games_observations_are_listed_by_field()
    {
        var shown = Directory.CreateDirectory(Path.Combine(Folder.Path, "shown")).FullName;
        var observation = new ResponseObservation { Observation = new Observation { GameLoop = 1, RawData = new ObservationRaw() } };

        // A field that a newer game may have.
        await File.WriteAllBytesAsync(
            Path.Combine(shown, "1.bin"), [.. observation.ToByteArray(), 0xFA, 0x01, 0x00], Ct);
        new MadeUpInstallation(Root).Add(75689, "-observations", shown, "-observationsRepeat");
        await AddMapAsync();
        var ended = await PlayAsync();
        Assert.Contains("differences", Of("note"));
        Assert.Contains("  new: field #31: the game: 120 times; simulated: missing (bridge, proxy)", ended.Output, StringComparison.Ordinal);
        Assert.Contains("  new: field observation.raw_data.units: the game: missing; simulated: 120 times", ended.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("raw_data.units.", ended.Output, StringComparison.Ordinal);
        Assert.Contains("Attach the report to an issue", ended.Output, StringComparison.Ordinal);
        Assert.Equal(75689, Play.GetProperty("base_build").GetInt32());
    }

    [Fact]
    public async Task A_game_that_does_not_start_is_a_finding_too()
    {
        new MadeUpInstallation(Root).Add(75689, "-baseBuild", "none");
        await AddMapAsync();
        var ended = await DoctorAsync("--play");
        Assert.Equal(1, ended.ExitCode);
        Assert.Equal(["game"], Of("problem"));
        Assert.Contains("PROBLEM  game: StarCraft II exited with code 2", ended.Output, StringComparison.Ordinal);
        var link = Read().GetProperty("issue").GetString()!;
        Assert.Contains(link, ended.Told, StringComparison.Ordinal);
        Assert.Contains("the game did not start", Uri.UnescapeDataString(link), StringComparison.Ordinal);
    }

    // A busy machine may need more than the default limit.
    private Task<Ended> PlayAsync(params string[] more) => DoctorAsync(["--play", "--part-limit", "100", .. more]);

    private async Task<Ended> DoctorAsync(params string[] more)
    {
        List<(string, string)> environment = [("HOME", Folder.Path)];
        if (Directory.Exists(Root))
        {
            environment.Add(("SC2PATH", Root));
        }

        List<string> words = ["doctor", "--json", Report, .. more];
        foreach (var (flag, value) in new[] { ("--grpc", "127.0.0.1:0"), ("--web", "127.0.0.1:0"), ("--python", MatchFolder.Python) })
        {
            words.AddRange(words.Contains(flag) ? [] : [flag, value]);
        }

        using var doctor = BridgeProcess.Start(words, environment);
        return await doctor.EndAsync();
    }

    private Task AddMapAsync()
    {
        var folder = Directory.CreateDirectory(Path.Combine(Root, "Maps", "Season")).FullName;
        return File.WriteAllTextAsync(Path.Combine(folder, "CinderFortressLE.SC2Map"), "", Ct);
    }

    private JsonElement Read() => JsonDocument.Parse(File.ReadAllText(Report)).RootElement;

    private JsonElement Play => Read().GetProperty("play");

    private IReadOnlyList<JsonElement> Differences() => [.. Play.GetProperty("differences").EnumerateArray()];

    private IEnumerable<string?> Parts() => Play.GetProperty("parts").EnumerateArray().Select(part => part.GetProperty("name").GetString());

    // The subjects of findings with a verdict.
    private IEnumerable<string?> Of(string verdict) => Read().GetProperty("findings").EnumerateArray()
        .Where(finding => finding.GetProperty("verdict").GetString() == verdict)
        .Select(finding => finding.GetProperty("subject").GetString());
}
