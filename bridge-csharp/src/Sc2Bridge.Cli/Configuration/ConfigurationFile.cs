using System.CommandLine;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>What a file says about an option.</summary>
/// <param name="Option">The option.</param>
/// <param name="Values">Its values; none for a flag that is off.</param>
/// <param name="Line">Its line in the file, from 1.</param>
internal sealed record ConfiguredOption(Option Option, IReadOnlyList<string> Values, int Line)
{
    /// <summary>Whether it follows from the tables of players, and so belongs to them.</summary>
    internal bool IsOfPlayers { get; init; }

    /// <summary>The option's name in a file.</summary>
    internal string Key => ConfigurationFile.KeyOf(Option);
}

/// <summary>A configuration file whose every key, table and kind of value is known.</summary>
internal sealed class ConfigurationFile
{
    private const string Players = "players";
    private const string Profiles = "profiles";

    // A line with more would not be read.
    private const int MostProblems = 10;

    private static readonly string[] _ofPlayers = ["kind", "race", "difficulty", "build", "agent"];

    // Options that contradict each other. If the command line or a profile gives one of them, a lower place does not set the others.
    private static readonly string[][] _alternatives =
    [
        ["map", "scenario"], ["agent", "no-agents"], ["recording", "no-recording"], ["game", "attach"], ["open", "no-page"],
        ["insecure", "tokens"], ["tls-cert", "tls-self-signed"], ["tls-key", "tls-self-signed"], ["games", "restarts"], ["quiet", "verbose"],
    ];

    private readonly string _path;
    private readonly List<string> _problems = [];
    private readonly ConfigurationTable _root;
    private readonly Dictionary<string, Dictionary<string, Option>> _commands;

    /// <param name="path">For errors.</param>
    /// <param name="root">The file.</param>
    /// <param name="commands">Those that read the file.</param>
    /// <exception cref="CommandException">Something in it is not known: the message names each such key and its line.</exception>
    internal ConfigurationFile(string path, ConfigurationTable root, IEnumerable<DocumentedCommand> commands)
    {
        _path = path;
        _root = root;
        _commands = commands.ToDictionary(command => command.Name, command => OptionsOf(command).ToDictionary(KeyOf));
        Check(root, [.. _commands.Keys], hasCommands: true, hasProfiles: true);
        if (_problems.Count > 0)
        {
            throw new CommandException(string.Join(" and ", _problems));
        }
    }

    /// <summary>The names of its profiles.</summary>
    internal IEnumerable<string> ProfileNames => _root.Items.TryGetValue(Profiles, out var table) ? ((ConfigurationTable)table).Items.Keys : [];

    /// <summary>An option's name in a file.</summary>
    internal static string KeyOf(Option option) => option.Name.TrimStart('-');

    /// <summary>A command's options that a file can set.</summary>
    internal static IEnumerable<Option> OptionsOf(DocumentedCommand command) =>
        command.Groups.Where(group => group.Name != ConfigurationOptions.GroupName).SelectMany(group => group.Options.Where(option => !option.Hidden || group.OnlyInFile.Contains(option)))
            .Concat(Printing.Options);

    /// <summary>What it sets for a command.</summary>
    /// <param name="command">The command's name.</param>
    /// <param name="profile">The profile's name; null for none.</param>
    /// <param name="given">The options that the command line gives, which win.</param>
    /// <exception cref="CommandException">The profile or a value is wrong.</exception>
    internal IReadOnlyList<ConfiguredOption> For(string command, string? profile, IEnumerable<Option> given)
    {
        List<ConfiguredOption> chosen = [];
        foreach (var (layer, isShared) in Layers(command, profile))
        {
            var set = Read(layer, command, isShared);
            Remove(chosen, [.. set.Select(one => one.Key)]);
            chosen.AddRange(set);
        }

        Remove(chosen, [.. given.Select(KeyOf)]);
        return chosen;
    }

    private static void Remove(List<ConfiguredOption> chosen, HashSet<string> stronger) => chosen.RemoveAll(one =>
        stronger.Contains(one.Key) || (one.IsOfPlayers && stronger.Contains("player"))
            || Array.Exists(_alternatives, group => group.Contains(one.Key) && group.Any(stronger.Contains)));

    // From the lowest to the highest.
    private IEnumerable<(ConfigurationTable Layer, bool IsShared)> Layers(string command, string? profile)
    {
        foreach (var place in (ConfigurationTable[])(profile is null ? [_root] : [_root, Profile(profile)]))
        {
            yield return (place, true);
            if (place.Items.TryGetValue(command, out var own) && own is ConfigurationTable table)
            {
                yield return (table, false);
            }
        }
    }

    private ConfigurationTable Profile(string name) =>
        _root.Items.TryGetValue(Profiles, out var all) && ((ConfigurationTable)all).Items.TryGetValue(name, out var profile)
            ? (ConfigurationTable)profile
            : throw new CommandException($"{_path} has no profile '{name}'{ClosestWord.Hint(name, ProfileNames)}");

    private CommandException Wrong(int line, string problem) => ConfigurationReader.Wrong(_path, line, problem);

    private void Check(ConfigurationTable table, string[] commands, bool hasCommands, bool hasProfiles)
    {
        var keys = commands.SelectMany(command => _commands[command].Keys).ToHashSet();
        string[] tables = [.. hasCommands ? commands : [], .. hasProfiles ? [Profiles] : (string[])[], .. keys.Contains("player") ? [Players] : (string[])[]];
        foreach (var (key, node) in table.Items.TakeWhile(_ => _problems.Count < MostProblems))
        {
            try
            {
                // Relay has an option that is called as the command match is.
                if (node is ConfigurationTable inner && hasCommands && commands.Contains(key))
                {
                    Check(inner, [key], hasCommands: false, hasProfiles: false);
                }
                else if (key == Profiles && hasProfiles)
                {
                    foreach (var (name, profile) in (node as ConfigurationTable ?? throw Wrong(node.Line, $"{Profiles} needs a table for each profile, such as [{Profiles}.fast]")).Items)
                    {
                        Check(
                            profile as ConfigurationTable ?? throw Wrong(profile.Line, $"{Profiles}.{name} is not a table: write [{Profiles}.{name}]"),
                            commands, hasCommands: true, hasProfiles: false);
                    }
                }
                else if (key == Players && tables.Contains(key))
                {
                    _ = PlayersOf(node);
                }
                else if (node is ConfigurationTable)
                {
                    throw Wrong(node.Line, $"unknown table '{key}'{(keys.Contains(key) ? $": {key} is an option: write {key} = …" : ClosestWord.Hint(key, tables))}");
                }
                else if (!keys.Contains(key))
                {
                    throw Wrong(node.Line, tables.Contains(key) ? $"{key} is a table: write [{key}]"
                        : $"unknown key '{key}'{(hasCommands ? "" : $" of {commands[0]}")}{ClosestWord.Hint(key.TrimStart('-'), keys.Concat(tables))}");
                }
                else
                {
                    _ = Values(First(key, commands), node);
                }
            }
            catch (CommandException problem)
            {
                _problems.Add(problem.Message);
            }
        }
    }

    private Option First(string key, IEnumerable<string> commands) => commands.Select(command => _commands[command].GetValueOrDefault(key)).First(option => option is not null)!;

    // A key for all commands does not set an option that has the same name and means something else, such as replay's --map.
    private bool IsMeant(Option option, ConfigurationNode node) =>
        Kind(option) == Kind(First(KeyOf(option), _commands.Keys)) && (node is not ConfigurationList || option.Arity.MaximumNumberOfValues > 1);

    private static string? Kind(Option option) => option.HelpName?.Contains('|', StringComparison.Ordinal) == true ? "|" : option.HelpName;

    private List<ConfiguredOption> Read(ConfigurationTable table, string command, bool isShared)
    {
        var options = _commands[command];
        var set = table.Items.Where(item => item.Value is not ConfigurationTable && options.TryGetValue(item.Key, out var option) && (!isShared || IsMeant(option, item.Value)))
            .Select(item => new ConfiguredOption(options[item.Key], Values(options[item.Key], item.Value), item.Value.Line)).ToList();
        if (table.Items.TryGetValue(Players, out var node) && options.TryGetValue("player", out var player))
        {
            if (set.Find(one => one.Option == player) is { } both)
            {
                throw Wrong(both.Line, $"player contradicts the tables [[{Players}]]: leave one out");
            }

            var players = PlayersOf(node);
            set.Add(new(player, [.. players.Select(one => one.Spec)], node.Line));
            if (players.Any(one => one.Agent is not null))
            {
                set.Add(new(
                    options["agent"], [.. players.Index().Where(one => one.Item.Agent is not null).Select(one => $"{one.Index + 1}={one.Item.Agent}")], node.Line)
                {
                    IsOfPlayers = true,
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
            throw Wrong(node.Line, $"{key} has one value: write it without brackets");
        }

        if (items.FirstOrDefault(item => item is not ConfigurationValue value || value.IsFlag != isFlag) is { } wrong)
        {
            throw Wrong(wrong.Line, isFlag ? $"{key} is on or off: write true or false" : $"{key} is not on or off: write {option.HelpName}");
        }

        var values = items.Cast<ConfigurationValue>().ToList();
        return values.Find(value => string.IsNullOrWhiteSpace(value.Text)) is { } empty ? throw Wrong(empty.Line, $"{key} has an empty value: write one, or remove the line")
            : isFlag && values[0].Text == "false" ? [] : [.. values.Select(value => value.Text)];
    }

    private List<(string Spec, string? Agent)> PlayersOf(ConfigurationNode node)
    {
        List<(string, string?)> players = [];
        foreach (var item in node is ConfigurationList list ? list.Items : [node])
        {
            if (item is not ConfigurationTable table || node is not ConfigurationList)
            {
                throw Wrong(item.Line, $"{Players} needs a table for each player: write [[{Players}]]");
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
            if (!_ofPlayers.Contains(key))
            {
                _problems.Add(Wrong(node.Line, $"unknown key '{key}' of a player{ClosestWord.Hint(key, _ofPlayers)}").Message);
                continue;
            }

            given[key] = node is ConfigurationValue { IsFlag: false } value && (key == "agent" || !value.Text.Contains(':', StringComparison.Ordinal)) ? value.Text
                : throw Wrong(node.Line, $"{key} of a player needs one word");
        }

        if (given.Count < table.Items.Count)
        {
            // Other mistakes of this player may follow from the unknown key.
            return ("", null);
        }

        var kind = given.GetValueOrDefault("kind", given.ContainsKey("agent") ? "agent" : "computer");
        string[] words = [kind, .. ((string[])["race", "difficulty", "build"]).Where(given.ContainsKey).Select(key => given[key])];
        if (given.ContainsKey("agent") && kind != "agent")
        {
            throw Wrong(table.Line, $"a player of kind {kind} has no agent: write kind = \"agent\", or leave agent out");
        }

        try
        {
            _ = Games.PlayerSpec.Parse(string.Join(':', words));
        }
        catch (GameException error)
        {
            throw Wrong(table.Line, error.Message);
        }

        return (string.Join(':', words), given.GetValueOrDefault("agent"));
    }
}
