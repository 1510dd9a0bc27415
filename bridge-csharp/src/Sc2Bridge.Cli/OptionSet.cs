using System.CommandLine;

namespace Sc2Bridge.Cli;

/// <summary>Options that several commands share.</summary>
internal abstract class OptionSet
{
    /// <summary>The options, in the groups and the order of the help.</summary>
    internal abstract IEnumerable<OptionGroup> Groups { get; }

    /// <summary>The options.</summary>
    internal IEnumerable<Option> All => Groups.SelectMany(group => group.Options);

    /// <summary>Whether the user has given an option, on the command line or in a configuration file.</summary>
    internal static bool IsGiven(ParseResult parsed, Option option) => parsed.GetResult(option) is { Implicit: false };

    /// <summary>The first of some options on the command line; null for none. A configuration file may set what only other commands use.</summary>
    internal static Option? FirstGiven(ParseResult parsed, IEnumerable<Option> options) =>
        options.FirstOrDefault(option => IsGiven(parsed, option) && !ConfigurationOptions.Sets(option));
}
