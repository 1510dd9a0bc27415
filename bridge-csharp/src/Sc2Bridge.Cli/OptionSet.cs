using System.CommandLine;

namespace Sc2Bridge.Cli;

/// <summary>Options that several commands share.</summary>
internal abstract class OptionSet
{
    /// <summary>The options, in the groups and the order of the help.</summary>
    internal abstract IEnumerable<OptionGroup> Groups { get; }

    /// <summary>All options, without groups.</summary>
    internal IEnumerable<Option> AllOptions => Groups.SelectMany(group => group.Options);

    /// <summary>Whether the user has given an option, on the command line or in a configuration file.</summary>
    internal static bool IsGiven(ParseResult parsed, Option option) => parsed.GetResult(option) is { Implicit: false };

    /// <summary>The first of these options that the command line gives, or null. Options of a configuration file do not count.</summary>
    internal static Option? FirstGiven(ParseResult parsed, IEnumerable<Option> options) =>
        options.FirstOrDefault(option => IsGiven(parsed, option) && !ConfigurationOptions.IsFromFile(option));
}
