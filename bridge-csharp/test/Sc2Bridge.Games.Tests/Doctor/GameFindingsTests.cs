using Sc2Bridge.Games.Tests.StarCraft;

namespace Sc2Bridge.Games.Tests.Doctor;

/// <summary>The findings about installations on made-up machines.</summary>
public sealed class GameFindingsTests
{
    private const string Map = "Cinder Fortress LE";

    [Fact]
    public void On_Windows_the_registry_leads_to_the_game()
    {
        var machine = new MadeUpMachine(GamePlatform.Windows)
            .Add("E:/Games/SC2/Versions/Base75689/SC2_x64.exe").Add("E:/Games/SC2/Maps/Cinder Fortress LE.SC2Map");
        machine.Registry[@"HKEY_LOCAL_MACHINE\SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Uninstall\StarCraft II\InstallLocation"] =
            @"E:\Games\SC2\";
        Assert.Equal("E:/Games/SC2", Installation.Find(machine).Root);
        var findings = GameFindings.Make(machine, Map).ToList();
        Assert.All(findings, finding => Assert.Equal(Verdict.Ok, finding.Verdict));
        Assert.Contains(findings, finding => finding.Found == "in E:/Games/SC2, by the registry");
    }

    [Fact]
    public void The_version_of_the_data_is_that_of_the_active_branch()
    {
        var machine = new MadeUpMachine(GamePlatform.MacOS)
            .Add("/Applications/StarCraft II/Versions/Base75689/SC2.app/Contents/MacOS/SC2")
            .Add(
                "/Applications/StarCraft II/.build.info",
                "Branch!STRING:0|Active!DEC:1|Version!STRING:0\nus|0|4.9.0.1\neu|1|4.10.0.75689\n");
        Assert.Contains(GameFindings.Make(machine, Map), finding => finding.Found == "version 4.10.0.75689 (.build.info)");
    }

    [Fact]
    public void A_folder_that_may_not_be_read_is_a_problem()
    {
        var machine = new MadeUpMachine(GamePlatform.Linux) { Unreadable = "/home/a/StarCraftII/Versions" }
            .Add("/home/a/StarCraftII/Versions/Base75689/SC2_x64");
        var finding = Assert.Single(GameFindings.Make(machine, Map));
        Assert.Equal(("permissions", Verdict.Problem), (finding.Subject, finding.Verdict));
        Assert.Contains("/home/a/StarCraftII/Versions", finding.Found, StringComparison.Ordinal);
        Assert.Contains("Let your user read", finding.Advice, StringComparison.Ordinal);
    }

    [Fact]
    public void A_maps_file_is_taken_from_where_it_is()
    {
        var machine = new MadeUpMachine(GamePlatform.Linux)
            .Add("/home/a/StarCraftII/Versions/Base75689/SC2_x64").Add("/maps/Mine.SC2Map");
        Assert.All(GameFindings.Make(machine, "/maps/Mine.SC2Map"), finding => Assert.Equal(Verdict.Ok, finding.Verdict));
    }

    [Theory]
    [InlineData("/home/a/.wine")]
    [InlineData("/home/a/Games/battlenet")]
    [InlineData("/prefixes/sc2")]
    public void Under_Wine_the_game_is_found_and_attached_to(string prefix)
    {
        var machine = new MadeUpMachine(GamePlatform.Linux)
            .Add($"{prefix}/drive_c/Program Files (x86)/StarCraft II/Versions/Base75689/SC2_x64.exe");
        machine.Variables["WINEPREFIX"] = "/prefixes/sc2";
        var wine = Assert.Single(GameFindings.Make(machine, Map), finding => finding.Subject == "Wine");
        Assert.Equal(Verdict.Note, wine.Verdict);
        Assert.Contains(prefix, wine.Found, StringComparison.Ordinal);
        Assert.Contains("--attach 127.0.0.1:5000", wine.Advice, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/home/a/StarCraftII/Versions/readme", "no Versions/Base")]
    [InlineData("/home/a/StarCraftII/Versions/Base55957/SC2_x64", "older than 55958")]
    [InlineData("/home/a/StarCraftII/Versions/Base75689/SC2", "is missing")]
    public void An_installation_that_cannot_be_used_is_a_problem(string file, string found)
    {
        var finding = Assert.Single(GameFindings.Make(new MadeUpMachine(GamePlatform.Linux).Add(file), Map));
        Assert.Equal(Verdict.Problem, finding.Verdict);
        Assert.Contains(found, finding.Found, StringComparison.Ordinal);
        Assert.Contains("--game simulated", finding.Advice, StringComparison.Ordinal);
    }
}
