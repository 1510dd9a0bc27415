namespace Sc2Bridge.Cli;

/// <summary>A part of a configuration file.</summary>
/// <param name="Line">Its first line, from 1.</param>
internal abstract record ConfigurationNode(int Line);

/// <summary>One value, as the command line would have it.</summary>
/// <param name="Line">Its first line, from 1.</param>
/// <param name="Text">A text, a number, or <c>true</c> or <c>false</c>.</param>
/// <param name="IsFlag">Whether it is true or false.</param>
internal sealed record ConfigurationValue(int Line, string Text, bool IsFlag) : ConfigurationNode(Line);

/// <summary>An array, or tables of one name.</summary>
internal sealed record ConfigurationList(int Line) : ConfigurationNode(Line)
{
    internal List<ConfigurationNode> Items { get; } = [];
}

/// <summary>A table, or the whole file.</summary>
internal sealed record ConfigurationTable(int Line) : ConfigurationNode(Line)
{
    internal Dictionary<string, ConfigurationNode> Items { get; } = [];
}
