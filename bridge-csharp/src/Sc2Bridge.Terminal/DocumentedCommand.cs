using System.CommandLine;
using System.Diagnostics.CodeAnalysis;

namespace Sc2Bridge.Terminal;

/// <summary>Options that the help lists under one name.</summary>
/// <param name="Name">The name of the group, in lower case.</param>
/// <param name="Options">The options, in the order of the help. Descriptions are Markdown; a terminal shows them as plain text.</param>
public sealed record OptionGroup(string Name, params IReadOnlyList<Option> Options)
{
    /// <summary>The options that only a configuration file can set. Few users need them, and these users need them for every match.</summary>
    public IReadOnlyList<Option> OnlyInFile { get; init; } = [];
}

/// <summary>A command with a short help (the options that most people need) and a complete help.</summary>
/// <param name="name">The name that users type.</param>
/// <param name="description">What the command does, in one sentence.</param>
[SuppressMessage("Design", "CA1010", Justification = "The parser's commands are enumerable only so that collection initializers work.")]
public sealed class DocumentedCommand(string name, string description) : Command(name, description)
{
    private readonly List<OptionGroup> _groups = [];

    /// <summary>Examples. Each has a purpose, and the command line without the program's name.</summary>
    public IReadOnlyList<(string Purpose, string Words)> Examples { get; init; } = [];

    /// <summary>The options that most people need; empty if the short help shows all options.</summary>
    public IReadOnlyList<Option> CommonOptions { get; init; } = [];

    /// <summary>More text for the complete help and the reference, as Markdown.</summary>
    public string Remarks { get; init; } = "";

    /// <summary>All options, in groups.</summary>
    public IReadOnlyList<OptionGroup> Groups => _groups;

    /// <summary>The options that only a configuration file sets.</summary>
    public IEnumerable<Option> OnlyInFile => _groups.SelectMany(group => group.OnlyInFile);

    /// <summary>Adds options. If a group with the same name already exists, its options are extended.</summary>
    public void Add(params IEnumerable<OptionGroup> groups)
    {
        ArgumentNullException.ThrowIfNull(groups);
        foreach (var group in groups)
        {
            foreach (var option in group.Options)
            {
                Add(option);
                option.Hidden |= group.OnlyInFile.Contains(option);
            }

            var index = _groups.FindIndex(known => known.Name == group.Name);
            if (index < 0)
            {
                _groups.Add(group);
            }
            else
            {
                _groups[index] = new(group.Name, [.. _groups[index].Options, .. group.Options])
                {
                    OnlyInFile = [.. _groups[index].OnlyInFile, .. group.OnlyInFile],
                };
            }
        }
    }
}
