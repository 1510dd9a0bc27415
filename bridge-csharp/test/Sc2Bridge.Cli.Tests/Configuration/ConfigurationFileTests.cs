using System.Text;
using Sc2Bridge.Terminal;

namespace Sc2Bridge.Cli.Tests;

public sealed class ConfigurationFileTests
{
    private const string Whole = """
        seed = 1
        rate = 22.4
        wait = 1_000
        map = ["Salt Basin LE", "Four Winds LE"]
        no-page = true
        [match]
        seed = 2
        steps = 5
        [profiles.fast]
        rate = "max"
        seed = 3
        no-page = false
        [profiles.fast.match]
        seed = 4
        step-size = 8
        """;

    [Theory]
    [InlineData("match", null, "map=Four Winds LE map=Salt Basin LE no-page=true rate=22.4 seed=2 steps=5 wait=1000")]
    [InlineData("replay", null, "no-page=true rate=22.4 wait=1000")]
    [InlineData("match", "fast", "map=Four Winds LE map=Salt Basin LE rate=max seed=4 step-size=8 steps=5 wait=1000")]
    [InlineData("relay", "fast", "rate=max wait=1000")]
    public void A_higher_place_wins(string command, string? profile, string words) => Assert.Equal(words, ConfigurationCase.Words(Whole, command, profile));

    [Fact]
    public void The_command_line_wins_over_all() => Assert.Equal(
        "rate=5", ConfigurationCase.Words("rate = 5\nseed = 1\n[match]\nseed = 2\n[profiles.p]\nseed = 3", "match", "p", "--seed"));

    [Theory]
    [InlineData("replay", "loop=true observe=1")]
    [InlineData("inspect", "loop=7 observe=1")]
    [InlineData("record", "map=A.SC2Map observe=1")]
    [InlineData("match", "map=A observe=1")]
    public void An_option_of_another_meaning_is_set_by_the_table_of_its_command(string command, string words) => Assert.Equal(
        words, ConfigurationCase.Words("map = \"A\"\nloop = true\nobserve = 1\n[inspect]\nloop = 7\n[record]\nmap = \"A.SC2Map\"", command));

    [Theory]
    [InlineData("map = \"A\"\n[profiles.p]\nscenario = \"3m\"", "scenario=3m")]
    [InlineData("agent = \"a:B\"\n[profiles.p]\nno-agents = true", "no-agents=true")]
    [InlineData("agent = \"a:B\"\n[[players]]\nkind = \"api\"\nrace = \"zerg\"\n[profiles.p]\nplayer = \"agent:zerg\"", "agent=a:B player=agent:zerg")]
    [InlineData("[[players]]\nrace = \"zerg\"\nagent = \"a:B\"\n[profiles.p]\nplayer = \"agent:zerg\"", "player=agent:zerg")]
    public void What_contradicts_a_higher_place_no_longer_counts(string text, string words) =>
        Assert.Equal(words, ConfigurationCase.Words(text, "match", "p"));

    [Theory]
    [InlineData("--scenario", "")]
    [InlineData("--seed", "map=A")]
    public void What_contradicts_the_command_line_no_longer_counts(string given, string words) =>
        Assert.Equal(words, ConfigurationCase.Words("map = \"A\"", "match", null, given));

    [Fact]
    public void Tables_of_players_become_players_and_agents()
    {
        const string text = """
            [[players]]
            kind = "agent"
            race = "terran"
            agent = "my_bot:MyBot@shm"
            [[players]]
            race = "zerg"
            difficulty = "hard"
            build = "rush"
            [[players]]
            race = "protoss"
            agent = "other:Bot"
            """;
        Assert.Equal(
            "agent=1=my_bot:MyBot@shm agent=3=other:Bot player=agent:protoss player=agent:terran player=computer:zerg:hard:rush", ConfigurationCase.Words(text, "match"));
        Assert.Equal("", ConfigurationCase.Words(text, "replay"));
        Assert.Equal("player=agent:protoss player=agent:terran player=computer:zerg:hard:rush", ConfigurationCase.Words(text, "match", null, "--agent"));
        Assert.Equal("", ConfigurationCase.Words(text, "match", null, "--player"));
    }

    [Theory]
    [InlineData("\nstep-sise = 8", "a.toml:2: unknown key 'step-sise'; did you mean step-size?")]
    [InlineData("--seed = 8", "a.toml:1: unknown key '--seed'; did you mean seed?")]
    [InlineData("help = true", "a.toml:1: unknown key 'help'")]
    [InlineData("config = \"b.toml\"", "a.toml:1: unknown key 'config'")]
    [InlineData("[mach]\nseed = 1", "a.toml:1: unknown table 'mach'; did you mean match?")]
    [InlineData("[work]\nseed = 1", "a.toml:1: unknown table 'work'")]
    [InlineData("[seed]\na = 1", "a.toml:1: unknown table 'seed': seed is an option: write seed = …")]
    [InlineData("max-connections-per-address = true", "a.toml:1: max-connections-per-address is not on or off: write N")]
    [InlineData("[replay]\nseed = 1", "a.toml:2: unknown key 'seed' of replay")]
    [InlineData("players = 3", "a.toml:1: players needs a table for each player: write [[players]]")]
    [InlineData("[players]\nrace = \"zerg\"", "a.toml:1: players needs a table for each player: write [[players]]")]
    [InlineData("profiles = 3", "a.toml:1: profiles needs a table for each profile, such as [profiles.fast]")]
    [InlineData("[profiles]\nrate = 3", "a.toml:2: profiles.rate is not a table: write [profiles.rate]")]
    [InlineData("[profiles.p]\nsed = 3", "a.toml:2: unknown key 'sed'; did you mean seed?")]
    [InlineData("[profiles.p.profiles.q]\nseed = 3", "a.toml:1: unknown table 'profiles'")]
    [InlineData("replay = 3", "a.toml:1: replay is a table: write [replay]")]
    [InlineData("seed = true", "a.toml:1: seed is not on or off: write N")]
    [InlineData("open = 1", "a.toml:1: open is on or off: write true or false")]
    [InlineData("seed = \" \"", "a.toml:1: seed has an empty value: write a value, or remove the line")]
    [InlineData("\nmap = []", "a.toml:2: map has an empty value: write a value, or remove the line")]
    [InlineData("tag = []", "a.toml:1: tag has an empty value: write a value, or remove the line")]
    [InlineData("players = []", "a.toml:1: players has an empty value: write a value, or remove the line")]
    [InlineData("seed = [1]", "a.toml:1: seed has one value: write it without brackets")]
    [InlineData("map = [\n\"A\",\n[\"B\"]]", "a.toml:3: map is not on or off: write NAME")]
    [InlineData("seed = 2026-11-28", "a.toml:1: no option takes a date or a time: write a text, a number, true or false")]
    [InlineData("seed = 1\nseed = 2", "a.toml:2: seed already exists, in line 1: remove one of the two")]
    [InlineData("\n[match]\nseed = 1\n[match]", "a.toml:4: match already exists, in line 2: remove one of the two")]
    [InlineData("map = Salt Basin LE\n", "a.toml:1: Salt is not a value: write a text in quotes (\"…\"), a number, true or false")]
    [InlineData("map = \"Salt\nseed = 1\n", "a.toml:1: a text has no end: write a quote (\" or ') after it")]
    [InlineData("out = \"C:\\q\"", "a.toml:1: a \\ has a meaning of its own between")]
    [InlineData("seed : 1", "a.toml:1: a key has no value: write KEY = VALUE")]
    [InlineData("\n[match\nseed = 1", "a.toml:2: a table's name has other brackets than it needs: write [NAME], or [[players]]")]
    [InlineData("[players]]", "a.toml:1: a table's name has other brackets than it needs")]
    [InlineData("map = [\"a\" \"b\"]", "a.toml:1: two values of an array have no comma between them: write one")]
    [InlineData("map = [\"a\"", "a.toml:1: an array has no end: write ] after its last value")]
    [InlineData("seed = 1 step-size = 2", "a.toml:1: more text follows the value: write one KEY = VALUE on a line")]
    [InlineData("a = {b = 1", "a.toml:1: a table in braces is incomplete")]
    [InlineData("seed = 01", "a.toml:1: this is not TOML: write KEY = VALUE, with a text in quotes, or [TABLE] (")]
    [InlineData("seed = \nsteps = 1", "a.toml:1: the value after = is missing: write a text in quotes")]
    [InlineData("seed =", "a.toml:1: the value after = is missing: write a text in quotes")]
    [InlineData("[[players]]\nrace = \"zerg\"\nagents = \"a:B\"", "a.toml:3: unknown key 'agents' of a player; did you mean agent?")]
    [InlineData("[[players]]\nkind = \"computer\"\nrace = \"orc\"\ndifficulty = \"hard\"", "a.toml:1: ")]
    [InlineData("[[players]]\nkind = \"agent:zerg\"", "a.toml:2: kind of a player needs one word")]
    [InlineData("[[players]]\nkind = \"api\"\nrace = \"zerg\"\nagent = \"a:B\"", "a.toml:1: a player of kind api has no agent")]
    [InlineData("player = \"agent:zerg\"\n[[players]]\nrace = \"zerg\"\nagent = \"a:B\"", "a.toml:1: player contradicts the tables [[players]]: leave one out")]
    public void A_mistake_is_named_with_its_line(string text, string message) =>
        Assert.StartsWith(message, Assert.Throws<CommandException>(() => ConfigurationCase.Words(text, "match")).Message, StringComparison.Ordinal);

    [Fact]
    public void Every_unknown_key_is_named() => Assert.Equal(
        "a.toml:1: unknown key 'sed'; did you mean seed? and a.toml:2: seed is not on or off: write N and a.toml:4: unknown key 'zzzzzzz' of match and "
            + "a.toml:7: unknown key 'rase' of a player; did you mean race? and a.toml:9: unknown key 'bild' of a player; did you mean build?",
        Assert.Throws<CommandException>(() => ConfigurationCase.Words(
            "sed = 1\nseed = true\n[match]\nzzzzzzz = 1\n[profiles.p]\n[[profiles.p.players]]\nrase = \"zerg\"\n[[profiles.p.players]]\nbild = \"rush\"", "match")).Message);

    [Fact]
    public void Not_more_problems_are_named_than_a_line_holds() => Assert.Equal(
        10, Assert.Throws<CommandException>(() => ConfigurationCase.Words(string.Concat(Enumerable.Range(0, 50).Select(key => $"zzzzzzz{key} = 1\n")), "match"))
            .Message.Split("unknown key").Length - 1);

    [Theory]
    [InlineData("match", "no-color=true quiet=true")]
    [InlineData("doctor", "no-color=true quiet=true", "--seed")]
    [InlineData("match", "no-color=true", "--verbose")]
    public void Options_of_all_commands_are_keys(string command, string words, params string[] given) =>
        Assert.Equal(words, ConfigurationCase.Words("quiet = true\nno-color = true", command, null, given));

    [Fact]
    public void A_profile_that_does_not_exist_is_an_error_with_the_closest_match() => Assert.Equal(
        "a.toml has no profile 'fas'; did you mean fast?",
        Assert.Throws<CommandException>(() => ConfigurationCase.Words("[profiles.fast]\nseed = 1", "match", "fas")).Message);

    [Fact]
    public void Bytes_that_are_not_text_are_an_error_with_their_line() => Assert.Equal(
        "a.toml:2: not valid UTF-8", Assert.Throws<CommandException>(() => ConfigurationCase.Read([.. "a = 1\nb = \""u8, 0xff])).Message);

    [Fact]
    public void A_file_that_is_too_long_or_missing_or_a_folder_is_an_error()
    {
        using var folder = new TemporaryPath();
        File.WriteAllBytes(folder.File, new byte[ConfigurationReader.LongestFile + 1]);
        Assert.Contains("has more than 1 MiB", Assert.Throws<CommandException>(() => ConfigurationReader.Read(folder.File)).Message, StringComparison.Ordinal);
        Assert.Contains("is a folder", Assert.Throws<CommandException>(() => ConfigurationReader.Read(folder.Path)).Message, StringComparison.Ordinal);
        Assert.Contains("does not exist", Assert.Throws<CommandException>(() => ConfigurationReader.Read(folder.File + "x")).Message, StringComparison.Ordinal);
        File.CreateSymbolicLink(folder.File + "y", "nowhere");
        Assert.Contains("y is a link to nowhere, which does not exist", Assert.Throws<CommandException>(() => ConfigurationReader.Read(folder.File + "y")).Message, StringComparison.Ordinal);
        File.WriteAllText(folder.File, "\uFEFFseed = 1");
        Assert.Equal(["seed"], ConfigurationReader.Read(folder.File).Items.Keys);
    }

    [Theory]
    [InlineData("\nagent-deadline = -1", ":2: agent-deadline -1: write seconds, more than 0 and at most 86400")]
    [InlineData("trace-steps = \"x\"", ":1: trace-steps x: write a whole number from 0 to 1000000")]
    [InlineData("keep-bytes = \"12Q\"", ":1: keep-bytes 12Q: write a size, such as 500M, 512MB or 20G")]
    [InlineData("steps = 1\nkeep-bytes = 99999999999999999999", ":2: keep-bytes 99999999999999999999: write a size, such as 500M, 512MB or 20G")]
    public void A_wrong_value_of_a_key_that_is_no_option_is_named_as_the_file_has_it(string text, string message)
    {
        using var folder = new TemporaryPath();
        File.WriteAllText(folder.File, text);
        var (root, options) = ConfigurationCase.Make();
        string[] words = ["match", "--config", folder.File];
        Assert.Equal(folder.File + message, Assert.Throws<CommandException>(() => options.Apply(root.Parse(words), words)).Message);
    }

    [Theory]
    [InlineData("steps = 99999999999999999999", "steps=99999999999999999999")]
    [InlineData("map = [1, -99999999999999999999, 99999999999999999998] # é\nseed = 99999999999999999999", "map=-99999999999999999999 map=1 map=99999999999999999998 seed=99999999999999999999")]
    public void A_number_of_any_length_is_left_to_its_option(string text, string words) => Assert.Equal(words, ConfigurationCase.Words(text, "match"));

    [Fact]
    public void Init_writes_every_option_as_a_comment_and_each_is_right_without_its_mark()
    {
        var (root, options) = ConfigurationCase.Make();
        var text = InitCommand.Text(root);
        Assert.All(options.ReadingCommands, command => Assert.Equal("", ConfigurationCase.Words(text, command.Name)));

        var bare = Bare(text);
        Assert.All(options.ReadingCommands, command => Assert.NotEqual("", ConfigurationCase.Words(bare, command.Name, "fast")));
        var keys = options.ReadingCommands.SelectMany(ConfigurationFile.OptionsOf).Select(ConfigurationFile.KeyOf).ToHashSet();
        Assert.Equal(
            keys.Union(["kind", "difficulty"]).Order(StringComparer.Ordinal),
            text.Split('\n').Select(line => line.Split(" = ")).Where(parts => parts.Length > 1 && parts[0] is ['#', not ' ', ..]).Select(parts => parts[0][1..])
                .Distinct().Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData("match", null, "map=Salt Basin LE no-recording=true player=agent:terran player=computer:protoss:easy step-size=8")]
    [InlineData("match", "slow", "map=Salt Basin LE no-recording=true player=api:zerg rate=5 step-size=8")]
    [InlineData("replay", null, "no-recording=true rate=22.4 step-size=8")]
    public void The_example_of_the_guide_is_valid(string command, string? profile, string words)
    {
        var guide = File.ReadAllText(Path.Combine(PeerEnvironment.RepositoryRoot, "docs", "guide", "configuration.md"));
        Assert.Equal(words, ConfigurationCase.Words(guide.Split("```toml\n")[1].Split("```")[0], command, profile));
    }

    [Fact]
    public void Any_bytes_are_read_or_refused_with_one_line()
    {
        var random = new Random(20_261_128);
        var whole = Encoding.UTF8.GetBytes(Bare(InitCommand.Text(ConfigurationCase.Make().Root)));
        byte[][] seeds = [whole, Encoding.UTF8.GetBytes(Whole), "[[players]]\nrace=\"zerg\"\nagent=\"a:B\"\n[profiles.p]\na.b={c=[1,'x'],d=true}"u8.ToArray()];
        var commands = ConfigurationCase.Make().Options.ReadingCommands.ToList();
        for (var round = 0; round < 3_000; round++)
        {
            var bytes = round % 3 == 0 ? new byte[random.Next(200)] : [.. seeds[random.Next(seeds.Length)]];
            if (round % 3 == 0)
            {
                random.NextBytes(bytes);
            }

            for (var change = random.Next(4); change > 0 && bytes.Length > 0; change--)
            {
                var (from, to) = (random.Next(bytes.Length), random.Next(bytes.Length));
                bytes = random.Next(3) switch
                {
                    0 => [.. bytes[..from], (byte)"[]{}\"'=.,#\n\\ 19-tu\u00ff"[random.Next(19)], .. bytes[from..]],
                    1 => [.. bytes[..from], .. bytes[Math.Min(bytes.Length, from + random.Next(40))..]],
                    _ => [.. bytes[..Math.Max(from, to)], .. bytes[Math.Min(from, to)..]],
                };
            }

            try
            {
                var file = new ConfigurationFile("a.toml", ConfigurationReader.Parse("a.toml", bytes), commands);
                _ = commands.Select(command => file.ConfiguredOptionsFor(command.Name, file.ProfileNames.FirstOrDefault(), []).Count).Sum();
            }
            catch (CommandException error)
            {
                Assert.StartsWith("a.toml", error.Message, StringComparison.Ordinal);
            }
        }
    }

    [Theory]
    [InlineData("[")]
    [InlineData("{a=")]
    public void A_deep_file_is_refused(string part) =>
        Assert.Throws<CommandException>(() => ConfigurationCase.Read(Encoding.UTF8.GetBytes("a = " + string.Concat(Enumerable.Repeat(part, 300_000)))));

    // With every option, and players as tables.
    private static string Bare(string text) => string.Join(
        '\n', text.Split('\n').Select(line => line is ['#', not ' ', ..] && !line.StartsWith("#player = ", StringComparison.Ordinal) ? line[1..] : line));

    private sealed class TemporaryPath : IDisposable
    {
        public string Path { get; } = Directory.CreateTempSubdirectory("sc2bridge-configuration-").FullName;

        public string File => System.IO.Path.Combine(Path, "a.toml");

        public void Dispose() => Directory.Delete(Path, recursive: true);
    }
}
