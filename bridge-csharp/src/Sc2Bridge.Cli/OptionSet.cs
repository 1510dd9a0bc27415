using System.CommandLine;

namespace Sc2Bridge.Cli;

/// <summary>Options that several commands share.</summary>
internal abstract class OptionSet
{
    /// <summary>The options, in the order of the help.</summary>
    internal abstract IEnumerable<Option> All { get; }

    /// <summary>Adds sets to a command, in this order.</summary>
    internal static void AddTo(Command command, params IEnumerable<OptionSet> sets)
    {
        foreach (var option in sets.SelectMany(set => set.All))
        {
            command.Add(option);
        }
    }

    /// <summary>Whether the user has given an option.</summary>
    internal static bool IsGiven(ParseResult parsed, Option option) => parsed.GetResult(option) is { Implicit: false };

    /// <summary>The first of some options that the user has given; null for none.</summary>
    internal static Option? FirstGiven(ParseResult parsed, IEnumerable<Option> options) =>
        options.FirstOrDefault(option => IsGiven(parsed, option));
}
