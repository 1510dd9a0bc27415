using System.CommandLine;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>An option that a configuration file sets.</summary>
/// <param name="Option">The option.</param>
/// <param name="Values">The values of the option; empty for a flag that is off.</param>
/// <param name="Line">The line in the file, from 1.</param>
internal sealed record ConfiguredOption(Option Option, IReadOnlyList<string> Values, int Line)
{
    /// <summary>Whether the values come from the tables of players.</summary>
    internal bool IsFromPlayers { get; init; }

    /// <summary>The option's name in a file.</summary>
    internal string Key => ConfigurationFile.KeyOf(Option);
}

/// <summary>A configuration file whose keys, tables and types of values were checked.</summary>
internal sealed class ConfigurationFile
{
    private const string Players = "players";
    private const string Profiles = "profiles";

    // Users do not read a longer error message.
    private const int MaxProblems = 10;

    private static readonly string[] _playerKeys = ["kind", "race", "difficulty", "build", "agent"];

    // Each row has options that contradict each other. If the command line or a profile gives an option of a row, the options of the
    // row that come from a weaker table (see Layers) are ignored.
    private static readonly string[][] _alternatives =
    [
        ["map", "scenario"], ["agent", "no-agents"], ["recording", "no-recording"], ["game", "attach"], ["open", "no-page"],
        ["insecure", "tokens"], ["tls-cert", "tls-self-signed"], ["tls-key", "tls-self-signed"], ["games", "restarts"], ["quiet", "verbose"],
    ];

    private readonly string _path;
    private readonly List<string> _problems = [];
    private readonly ConfigurationTable _root;
    private readonly Dictionary<string, Dictionary<string, Option>> _commands;

    /// <param name="path">The path of the file, for errors.</param>
    /// <param name="root">The content of the file.</param>
    /// <param name="commands">The commands that read configuration files.</param>
    /// <exception cref="CommandException">The file has unknown keys or wrong values: the message names each of them, with its line.</exception>
    internal ConfigurationFile(string path, ConfigurationTable root, IEnumerable<DocumentedCommand> commands)
    {
        _path = path;
        _root = root;
        _commands = commands.ToDictionary(command => command.Name, command => OptionsOf(command).ToDictionary(KeyOf));
        CheckTable(root, [.. _commands.Keys], hasCommands: true, hasProfiles: true);
        if (_problems.Count > 0)
        {
            throw new CommandException(string.Join(" and ", _problems));
        }
    }

    /// <summary>The names of the profiles in the file.</summary>
    internal IEnumerable<string> ProfileNames => _root.Items.TryGetValue(Profiles, out var table) ? ((ConfigurationTable)table).Items.Keys : [];

    /// <summary>The name of an option in a file.</summary>
    internal static string KeyOf(Option option) => option.Name.TrimStart('-');

    /// <summary>The options of a command that a file can set.</summary>
    internal static IEnumerable<Option> OptionsOf(DocumentedCommand command) =>
        command.Groups.Where(group => group.Name != ConfigurationOptions.GroupName).SelectMany(group => group.Options.Where(option => !option.Hidden || group.OnlyInFile.Contains(option)))
            .Concat(Printing.Options);

    /// <summary>Reads the options that the file sets for a command.</summary>
    /// <param name="command">The command's name.</param>
    /// <param name="profile">The profile's name; null for none.</param>
    /// <param name="given">The options on the command line. They replace the same options of the file.</param>
    /// <exception cref="CommandException">The profile or a value is wrong.</exception>
    internal IReadOnlyList<ConfiguredOption> ConfiguredOptionsFor(string command, string? profile, IEnumerable<Option> given)
    {
        List<ConfiguredOption> chosen = [];
        foreach (var (layer, isShared) in Layers(command, profile))
        {
            var set = ReadTable(layer, command, isShared);
            Remove(chosen, [.. set.Select(one => one.Key)]);
            chosen.AddRange(set);
        }

        Remove(chosen, [.. given.Select(KeyOf)]);
        return chosen;
    }

    private static void Remove(List<ConfiguredOption> chosen, HashSet<string> stronger) => chosen.RemoveAll(one =>
        stronger.Contains(one.Key) || (one.IsFromPlayers && stronger.Contains("player"))
            || Array.Exists(_alternatives, group => group.Contains(one.Key) && group.Any(stronger.Contains)));

    // The tables that set options of the command. Each table wins over the tables before it: the last table is the strongest.
    private IEnumerable<(ConfigurationTable Layer, bool IsShared)> Layers(string command, string? profile)
    {
        foreach (var level in (ConfigurationTable[])(profile is null ? [_root] : [_root, Profile(profile)]))
        {
            yield return (level, true);
            if (level.Items.TryGetValue(command, out var own) && own is ConfigurationTable table)
            {
                yield return (table, false);
            }
        }
    }

    private ConfigurationTable Profile(string name) =>
        _root.Items.TryGetValue(Profiles, out var all) && ((ConfigurationTable)all).Items.TryGetValue(name, out var profile)
            ? (ConfigurationTable)profile
            : throw new CommandException($"{_path} has no profile '{name}'{ClosestWord.Hint(name, ProfileNames)}");

    private CommandException ErrorAt(int line, string problem) => ConfigurationReader.ErrorAt(_path, line, problem);

    private CommandException EmptyValueError(string key, ConfigurationNode node) => ErrorAt(node.Line, $"{key} has an empty value: write a value, or remove the line");

    private void CheckTable(ConfigurationTable table, string[] commands, bool hasCommands, bool hasProfiles)
    {
        var keys = commands.SelectMany(command => _commands[command].Keys).ToHashSet();
        string[] tables = [.. hasCommands ? commands : [], .. hasProfiles ? [Profiles] : (string[])[], .. keys.Contains("player") ? [Players] : (string[])[]];
        foreach (var (key, node) in table.Items.TakeWhile(_ => _problems.Count < MaxProblems))
        {
            try
            {
                // "match" is the name of a command, and also of an option of relay. So only a table with this name belongs to the command.
                if (node is ConfigurationTable inner && hasCommands && commands.Contains(key))
                {
                    CheckTable(inner, [key], hasCommands: false, hasProfiles: false);
                }
                else if (key == Profiles && hasProfiles)
                {
                    foreach (var (name, profile) in (node as ConfigurationTable ?? throw ErrorAt(node.Line, $"{Profiles} needs a table for each profile, such as [{Profiles}.fast]")).Items)
                    {
                        CheckTable(
                            profile as ConfigurationTable ?? throw ErrorAt(profile.Line, $"{Profiles}.{name} is not a table: write [{Profiles}.{name}]"),
                            commands, hasCommands: true, hasProfiles: false);
                    }
                }
                else if (key == Players && tables.Contains(key))
                {
                    _ = PlayersOf(node);
                }
                else if (node is ConfigurationTable)
                {
                    throw ErrorAt(node.Line, $"unknown table '{key}'{(keys.Contains(key) ? $": {key} is an option: write {key} = …" : ClosestWord.Hint(key, tables))}");
                }
                else if (!keys.Contains(key))
                {
                    throw ErrorAt(node.Line, tables.Contains(key) ? $"{key} is a table: write [{key}]"
                        : $"unknown key '{key}'{(hasCommands ? "" : $" of {commands[0]}")}{ClosestWord.Hint(key.TrimStart('-'), keys.Concat(tables))}");
                }
                else
                {
                    _ = Values(FindFirst(key, commands), node);
                }
            }
            catch (CommandException problem)
            {
                _problems.Add(problem.Message);
            }
        }
    }

    private Option FindFirst(string key, IEnumerable<string> commands) => commands.Select(command => _commands[command].GetValueOrDefault(key)).First(option => option is not null)!;

    // A key for all commands does not set an option with the same name but another meaning, such as --map of replay.
    private bool AppliesTo(Option option, ConfigurationNode node) =>
        Kind(option) == Kind(FindFirst(KeyOf(option), _commands.Keys)) && (node is not ConfigurationList || option.Arity.MaximumNumberOfValues > 1);

    private static string? Kind(Option option) => option.HelpName?.Contains('|', StringComparison.Ordinal) == true ? "|" : option.HelpName;

    private List<ConfiguredOption> ReadTable(ConfigurationTable table, string command, bool isShared)
    {
        var options = _commands[command];
        var set = table.Items.Where(item => item.Value is not ConfigurationTable && options.TryGetValue(item.Key, out var option) && (!isShared || AppliesTo(option, item.Value)))
            .Select(item => new ConfiguredOption(options[item.Key], Values(options[item.Key], item.Value), item.Value.Line)).ToList();
        if (table.Items.TryGetValue(Players, out var node) && options.TryGetValue("player", out var player))
        {
            if (set.Find(one => one.Option == player) is { } both)
            {
                throw ErrorAt(both.Line, $"player contradicts the tables [[{Players}]]: leave one out");
            }

            var players = PlayersOf(node);
            set.Add(new(player, [.. players.Select(one => one.Spec)], node.Line));
            if (players.Any(one => one.Agent is not null))
            {
                set.Add(new(
                    options["agent"], [.. players.Index().Where(one => one.Item.Agent is not null).Select(one => $"{one.Index + 1}={one.Item.Agent}")], node.Line)
                {
                    IsFromPlayers = true,
                });
            }
        }

        return set;
    }

    private IReadOnlyList<string> Values(Option option, ConfigurationNode node)
    {
        var key = KeyOf(option);
        var isFlag = option.ValueType == typeof(bool);
        var items = node is ConfigurationList list ? list.Items : [node];
        if (node is ConfigurationList && option.Arity.MaximumNumberOfValues <= 1)
        {
            throw ErrorAt(node.Line, $"{key} has one value: write it without brackets");
        }

        if (items.FirstOrDefault(item => item is not ConfigurationValue value || value.IsFlag != isFlag) is { } wrong)
        {
            throw ErrorAt(wrong.Line, isFlag ? $"{key} is on or off: write true or false" : $"{key} is not on or off: write {option.HelpName}");
        }

        var values = items.Cast<ConfigurationValue>().ToList();
        return values.Count == 0 ? throw EmptyValueError(key, node)
            : values.Find(value => string.IsNullOrWhiteSpace(value.Text)) is { } empty ? throw EmptyValueError(key, empty)
            : isFlag && values[0].Text == "false" ? [] : [.. values.Select(value => value.Text)];
    }

    private List<(string Spec, string? Agent)> PlayersOf(ConfigurationNode node)
    {
        if (node is ConfigurationList { Items: [] })
        {
            throw EmptyValueError(Players, node);
        }

        List<(string, string?)> players = [];
        foreach (var item in node is ConfigurationList list ? list.Items : [node])
        {
            if (item is not ConfigurationTable table || node is not ConfigurationList)
            {
                throw ErrorAt(item.Line, $"{Players} needs a table for each player: write [[{Players}]]");
            }

            players.Add(PlayerOf(table));
        }

        return players;
    }

    private (string Spec, string? Agent) PlayerOf(ConfigurationTable table)
    {
        Dictionary<string, string> given = [];
        foreach (var (key, node) in table.Items)
        {
            if (!_playerKeys.Contains(key))
            {
                _problems.Add(ErrorAt(node.Line, $"unknown key '{key}' of a player{ClosestWord.Hint(key, _playerKeys)}").Message);
                continue;
            }

            given[key] = node is ConfigurationValue { IsFlag: false } value && (key == "agent" || !value.Text.Contains(':', StringComparison.Ordinal)) ? value.Text
                : throw ErrorAt(node.Line, $"{key} of a player needs one word");
        }

        if (given.Count < table.Items.Count)
        {
            // Only the unknown key is reported, because other mistakes of this player may follow from it.
            return ("", null);
        }

        var kind = given.GetValueOrDefault("kind", given.ContainsKey("agent") ? "agent" : "computer");
        string[] words = [kind, .. ((string[])["race", "difficulty", "build"]).Where(given.ContainsKey).Select(key => given[key])];
        if (given.ContainsKey("agent") && kind != "agent")
        {
            throw ErrorAt(table.Line, $"a player of kind {kind} has no agent: write kind = \"agent\", or leave agent out");
        }

        try
        {
            _ = Games.PlayerSpec.Parse(string.Join(':', words));
        }
        catch (GameException error)
        {
            throw ErrorAt(table.Line, error.Message);
        }

        return (string.Join(':', words), given.GetValueOrDefault("agent"));
    }
}
