using System.CommandLine;
using System.Text;
using Sc2Bridge.Terminal;

namespace Sc2Bridge.Cli.Tests;

/// <summary>The program's commands, and what a text sets for one of them.</summary>
internal static class ConfigurationCase
{
    public const string FileName = "a.toml";

    public static (RootCommand Root, ConfigurationOptions Options) Make()
    {
        var root = Commands.Create();
        return (root, new ConfigurationOptions(root));
    }

    public static ConfigurationFile Read(ReadOnlySpan<byte> bytes) => new(FileName, ConfigurationReader.Parse(FileName, bytes), Make().Options.ReadingCommands);

    /// <summary>The words that a text adds to a command line, in the order of their names.</summary>
    public static string Words(string text, string command, string? profile = null, params string[] given)
    {
        var options = Make().Root.Subcommands.Single(one => one.Name == command).Options.Concat(Printing.Options).Where(option => given.Contains(option.Name));
        return string.Join(' ', Read(Encoding.UTF8.GetBytes(text)).ConfiguredOptionsFor(command, profile, options)
            .SelectMany(one => one.Values.Select(value => $"{one.Key}={value}")).Order(StringComparer.Ordinal));
    }
}
