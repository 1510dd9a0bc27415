using System.Text.RegularExpressions;

namespace Sc2Bridge.Functional.Tests;

/// <summary>The first lines of a match on StarCraft II.</summary>
public sealed class RealGameNoticeTests : MatchFolderTests
{
    private const string Notice = "This is StarCraft II. The project's own tests run on the simulated game";

    [Theory]
    [InlineData(true)]
    [InlineData(false, "--quiet")]
    public async Task A_match_on_the_real_game_begins_with_a_notice_about_tests(bool isPrinted, params string[] more)
    {
        await using var game = await ChangedGame.StartAsync(static (_, answer, _) =>
        {
            if (answer.Ping is { } ping)
            {
                ping.GameVersion = "5.0.14.93333";
            }
        });
        var ended = await Folder.PlayAsync(["--attach", $"127.0.0.1:{game.Port}", "--steps", "2", "--no-agents", .. more]);
        ended.Well();
        Assert.Equal(isPrinted, ended.Told.Contains(Notice, StringComparison.Ordinal));
        Assert.Equal(isPrinted, Regex.IsMatch(ended.Told, @"^https://github\.com/\S+/docs/guide/real-game\.md\r?$", RegexOptions.Multiline));
        Assert.DoesNotContain(Notice, ended.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_match_on_the_simulated_game_has_no_such_notice()
    {
        var ended = await Folder.PlayAsync("--steps", "2", "--no-agents");
        ended.Well();
        Assert.DoesNotContain(Notice, ended.Told, StringComparison.Ordinal);
    }
}
