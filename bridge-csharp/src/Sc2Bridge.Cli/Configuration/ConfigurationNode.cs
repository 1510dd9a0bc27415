namespace Sc2Bridge.Cli;

/// <summary>A value, a list or a table in a configuration file.</summary>
/// <param name="Line">The first line of the node, from 1.</param>
internal abstract record ConfigurationNode(int Line);

/// <summary>One value, written as on the command line.</summary>
/// <param name="Line">The first line of the node, from 1.</param>
/// <param name="Text">A text, a number, or <c>true</c> or <c>false</c>.</param>
/// <param name="IsFlag">Whether the value is a boolean.</param>
internal sealed record ConfigurationValue(int Line, string Text, bool IsFlag) : ConfigurationNode(Line);

/// <summary>An array of values, or all tables with one name.</summary>
internal sealed record ConfigurationList(int Line) : ConfigurationNode(Line)
{
    internal List<ConfigurationNode> Items { get; } = [];
}

/// <summary>A table, or the whole file.</summary>
internal sealed record ConfigurationTable(int Line) : ConfigurationNode(Line)
{
    internal Dictionary<string, ConfigurationNode> Items { get; } = [];
}
