using System.Text.RegularExpressions;
using Sc2Bridge.Terminal;

namespace Sc2Bridge.Cli.Tests;

public sealed class HelpTests
{
    [Fact]
    public void The_short_help_counts_the_options_that_the_whole_help_lists() => Assert.All(
        ConfigurationCase.Make().Root.Subcommands.OfType<DocumentedCommand>().Where(command => command.Common.Count > 0), command => Assert.Contains(
            $"lists all {Regex.Count(HelpText.Of(command, hasAll: true, 200), "(?m)^  --?[A-Za-z]")} options", HelpText.Of(command, hasAll: false, 200), StringComparison.Ordinal));
}
