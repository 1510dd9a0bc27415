using System.Text.RegularExpressions;
using Sc2Bridge.Terminal;

namespace Sc2Bridge.Cli.Tests;

public sealed class HelpTests
{
    [Fact]
    public void The_short_help_counts_the_options_that_the_whole_help_lists() => Assert.All(
        ConfigurationCase.Make().Root.Subcommands.OfType<DocumentedCommand>().Where(command => command.CommonOptions.Count > 0), command => Assert.Contains(
            $"lists all {Regex.Count(HelpText.OfCommand(command, listsAll: true, 200), "(?m)^  --?[A-Za-z]")} options", HelpText.OfCommand(command, listsAll: false, 200), StringComparison.Ordinal));

    [Fact]
    public void Every_line_of_an_example_is_a_comment_or_a_command()
    {
        string[] lines =
        [
            .. ConfigurationCase.Make().Root.Subcommands.SelectMany(command => HelpText.OfCommand(command, listsAll: false, 40).ReplaceLineEndings("\n")
                .Split("Examples:\n").Skip(1).SelectMany(part => part.Split("\n\n")[0].TrimEnd().Split('\n'))),
        ];
        Assert.NotEmpty(lines);
        Assert.All(lines, line => Assert.Matches("^  (#|sc2bridge|   ) ", line));
    }
}
