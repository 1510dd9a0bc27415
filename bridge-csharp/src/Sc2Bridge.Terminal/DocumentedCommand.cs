using System.CommandLine;
using System.Diagnostics.CodeAnalysis;

namespace Sc2Bridge.Terminal;

/// <summary>Options that the help lists under one name.</summary>
/// <param name="Name">In lower case.</param>
/// <param name="Options">In the order of the help. Descriptions are Markdown; a terminal shows the words.</param>
public sealed record OptionGroup(string Name, params IReadOnlyList<Option> Options)
{
    /// <summary>Those of them that only a configuration file can set. Few people need them, and those need them for each match.</summary>
    public IReadOnlyList<Option> OnlyInFile { get; init; } = [];
}

/// <summary>A command whose help has two layers: what most people need, and everything.</summary>
/// <param name="name">As it is typed.</param>
/// <param name="description">One sentence.</param>
[SuppressMessage("Design", "CA1010", Justification = "The parser's commands can be enumerated only for their initializers.")]
public sealed class DocumentedCommand(string name, string description) : Command(name, description)
{
    private readonly List<OptionGroup> _groups = [];

    /// <summary>Command lines, without the program's name, and what each is for.</summary>
    public IReadOnlyList<(string Purpose, string Words)> Examples { get; init; } = [];

    /// <summary>The options that most people need; empty if the short help shows all options.</summary>
    public IReadOnlyList<Option> Common { get; init; } = [];

    /// <summary>More about it, for the full help and the reference: Markdown.</summary>
    public string Remarks { get; init; } = "";

    /// <summary>All options, in groups.</summary>
    public IReadOnlyList<OptionGroup> Groups => _groups;

    /// <summary>The options that only a configuration file sets.</summary>
    public IEnumerable<Option> OnlyInFile => _groups.SelectMany(group => group.OnlyInFile);

    /// <summary>Adds options. A group that is there already gets them too.</summary>
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

            var place = _groups.FindIndex(known => known.Name == group.Name);
            if (place < 0)
            {
                _groups.Add(group);
            }
            else
            {
                _groups[place] = new(group.Name, [.. _groups[place].Options, .. group.Options])
                {
                    OnlyInFile = [.. _groups[place].OnlyInFile, .. group.OnlyInFile],
                };
            }
        }
    }
}
