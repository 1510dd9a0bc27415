using Sc2Bridge.Games.Tests.StarCraft;

namespace Sc2Bridge.Games.Tests.Replays;

/// <summary>The version of the game that is started for a replay.</summary>
public sealed class ReplayVersionsTests
{
    private const string Data = "DDFFF9EC4A171459A4F371C6CC189554";

    [Fact]
    public void The_replays_version_is_started_if_it_is_installed()
    {
        var versions = Versions(GamePlatform.Linux, "/home/a/StarCraftII", "SC2_x64", 55958, 75800, 99999);
        var (launch, downloads) = versions.ChooseFirst(Of(75800), running: null);
        Assert.False(downloads);
        Assert.Equal("/home/a/StarCraftII/Versions/Base75800/SC2_x64", launch.Executable);
        Assert.Equal(Data, launch.DataVersion);
        Assert.Equal(launch, versions.ChooseFirst(Of(75800), running: null).Launch);
    }

    [Fact]
    public void On_Linux_a_build_that_is_missing_is_named()
    {
        var versions = Versions(GamePlatform.Linux, "/home/a/StarCraftII", "SC2_x64", 55958, 99999);
        var failure = Assert.Throws<GameException>(() => versions.ChooseFirst(Of(75800), running: null));
        Assert.Contains(
            "Versions/Base75800 is not in /home/a/StarCraftII (installed: 55958, 99999). Unpack Blizzard's Linux package",
            failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(GamePlatform.Linux, "/home/a/StarCraftII", "SC2_x64")]
    [InlineData(GamePlatform.Windows, "C:/Program Files (x86)/StarCraft II", "SC2_x64.exe")]
    public void One_from_before_the_games_API_is_named(GamePlatform platform, string root, string binary)
    {
        var versions = Versions(platform, root, binary, 55958, 99999);
        var failure = Assert.Throws<GameException>(() => versions.ChooseFirst(Of(55505), running: null));
        Assert.Contains("(build 55505), which is older than 55958", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(GamePlatform.Windows, "C:/Program Files (x86)/StarCraft II", "SC2_x64.exe")]
    [InlineData(GamePlatform.MacOS, "/Applications/StarCraft II", "SC2.app/Contents/MacOS/SC2")]
    public void Elsewhere_the_newest_fetches_it(GamePlatform platform, string root, string binary)
    {
        var machine = new MadeUpMachine(platform).Add($"{root}/Versions/Base99999/{binary}");
        var versions = new ReplayVersions(GameLaunch.StarCraft(Installation.Find(machine)), machine);
        var (launch, downloads) = versions.ChooseFirst(Of(75800), running: null);
        Assert.True(downloads);
        Assert.Contains("Base99999", launch.Executable, StringComparison.Ordinal);
        var failure = Assert.Throws<GameException>(() => versions.ChooseExact(Of(75800), 75800, Data, "4.10.1"));
        Assert.Contains("which downloads it", failure.Message, StringComparison.Ordinal);

        machine.Add($"{root}/Versions/Base75800/{binary}");
        var exact = versions.ChooseExact(Of(75800), 75800, Data, "4.10.1");
        Assert.Equal($"{root}/Versions/Base75800/{binary}", exact.Executable);
        Assert.Equal(platform == GamePlatform.Windows ? $"{root}/Support64" : root, exact.WorkingDirectory);
    }

    [Fact]
    public void One_that_does_not_say_is_asked_of_the_game_that_runs()
    {
        var versions = Versions(GamePlatform.Linux, "/home/a/StarCraftII", "SC2_x64", 75800, 99999);
        var bytes = SimulatedReplay.Make(1);
        var replay = new Replay("a.SC2Replay", ByteString.CopyFrom(bytes), ReplayHead.Read(bytes, "a.SC2Replay"));
        Assert.Contains("Base99999", versions.ChooseFirst(replay, running: null).Launch.Executable, StringComparison.Ordinal);
        var running = versions.ChooseExact(replay, 75800, "", "");
        Assert.Null(running.DataVersion);
        Assert.Same(running, versions.ChooseFirst(replay, running).Launch);
    }

    private static Replay Of(int build)
    {
        var bytes = MadeUpReplay.Bytes(build, Data);
        return new Replay("a.SC2Replay", ByteString.CopyFrom(bytes), ReplayHead.Read(bytes, "a.SC2Replay"));
    }

    private static ReplayVersions Versions(GamePlatform platform, string root, string binary, params int[] builds)
    {
        var machine = new MadeUpMachine(platform);
        foreach (var build in builds)
        {
            machine.Add($"{root}/Versions/Base{build}/{binary}");
        }

        return new ReplayVersions(GameLaunch.StarCraft(Installation.Find(machine)), machine);
    }
}
