namespace Sc2Bridge.Games.Tests.StarCraft;

public sealed class InstallationTests
{
    [Theory]
    [InlineData(GamePlatform.Linux, "/home/a/StarCraftII", "SC2_x64", "")]
    [InlineData(GamePlatform.Windows, "C:/Program Files (x86)/StarCraft II", "SC2_x64.exe", "/Support64")]
    [InlineData(GamePlatform.MacOS, "/Applications/StarCraft II", "SC2.app/Contents/MacOS/SC2", "")]
    public void The_newest_build_is_found_where_the_game_installs_itself(
        GamePlatform platform, string root, string binary, string workingFolder)
    {
        var machine = new MadeUpMachine(platform)
            .Add($"{root}/Versions/Base55958/{binary}")
            .Add($"{root}/Versions/Base9999/{binary}")
            .Add($"{root}/Versions/Base75689/{binary}")
            .Add($"{root}/Versions/Shaders1/x")
            .Add($"{root}/Maps/AbyssalReefLE.SC2Map");
        var found = Installation.Find(machine);
        Assert.Equal(75689, found.BaseBuild);
        Assert.Equal($"{root}/Versions/Base75689/{binary}", found.Executable);
        Assert.Equal(root + workingFolder, found.WorkingDirectory);
        Assert.Equal(root + "/Maps", found.MapFolder);
    }

    [Theory]
    [InlineData(GamePlatform.Windows, "D:/Docs/StarCraft II/ExecuteInfo.txt", @"E:\Games\SC2\Versions\Base75689\SC2_x64.exe", "E:/Games/SC2", "SC2_x64.exe")]
    [InlineData(GamePlatform.MacOS, "/home/a/Library/Application Support/Blizzard/StarCraft II/ExecuteInfo.txt", "/Volumes/G/SC2/Versions/Base75689/SC2.app/Contents/MacOS/SC2", "/Volumes/G/SC2", "SC2.app/Contents/MacOS/SC2")]
    public void ExecuteInfo_goes_before_the_usual_place(
        GamePlatform platform, string info, string executable, string root, string binary)
    {
        var machine = new MadeUpMachine(platform)
            .Add(info, $"executable = {executable}\0")
            .Add($"{root}/Versions/Base75689/{binary}");
        Assert.Equal(root, Installation.Find(machine).Root);
    }

    [Fact]
    public void A_stale_ExecuteInfo_is_passed_over()
    {
        var machine = new MadeUpMachine(GamePlatform.Windows)
            .Add("D:/Docs/StarCraft II/ExecuteInfo.txt", "executable = E:\\Gone\\Versions\\Base75689\\SC2_x64.exe\0")
            .Add("C:/Program Files (x86)/StarCraft II/Versions/Base75689/SC2_x64.exe");
        Assert.StartsWith("C:", Installation.Find(machine).Root, StringComparison.Ordinal);
    }

    [Fact]
    public void SC2PATH_goes_before_everything_and_must_be_right()
    {
        var machine = new MadeUpMachine(GamePlatform.Linux).Add("/opt/sc2/Versions/Base75689/SC2_x64");
        machine.Variables["SC2PATH"] = "/opt/sc2/";
        Assert.Equal("/opt/sc2/Versions/Base75689/SC2_x64", Installation.Find(machine).Executable);
        machine.Variables["SC2PATH"] = "/opt/other";
        Assert.Contains("SC2PATH is '/opt/other'", Failure(machine), StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_missing_is_named()
    {
        var nothing = new MadeUpMachine(GamePlatform.Linux);
        Assert.Null(Installation.TryFind(nothing));
        Assert.Contains("looked in /home/a/StarCraftII", Failure(nothing), StringComparison.Ordinal);
        Assert.Contains("no Versions/Base", Failure(new MadeUpMachine(GamePlatform.Linux)
            .Add("/home/a/StarCraftII/Versions/readme")), StringComparison.Ordinal);
        Assert.Contains("older than 55958", Failure(new MadeUpMachine(GamePlatform.Linux)
            .Add("/home/a/StarCraftII/Versions/Base55957/SC2_x64")), StringComparison.Ordinal);
        Assert.Contains("is missing", Failure(new MadeUpMachine(GamePlatform.Linux)
            .Add("/home/a/StarCraftII/Versions/Base75689/SC2")), StringComparison.Ordinal);
    }

    private static string Failure(ISystemEnvironment machine) =>
        Assert.Throws<GameException>(() => Installation.Find(machine)).Message;
}
