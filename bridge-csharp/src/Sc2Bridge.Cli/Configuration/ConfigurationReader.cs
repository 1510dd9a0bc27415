using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Tomlyn;
using Tomlyn.Parsing;
using Tomlyn.Syntax;

namespace Sc2Bridge.Cli;

/// <summary>Reads TOML. Only texts, numbers, true and false are values: no option takes a date.</summary>
internal static class ConfigurationReader
{
    /// <summary>The largest file, in bytes.</summary>
    internal const int LongestFile = 1 << 20;

    private const string Values = "write a text in quotes (\"…\"), a number, true or false";
    private const string NoValue = $"there is no value after =: {Values}";
    private const string NoEnd = "a text has no end: write a quote (\" or ') after it";

    // Part of the parser's message, and what to do.
    private static readonly (string Part, string Words)[] _mistakes =
    [
        ("Expecting `=`", "a key has no value: write KEY = VALUE"),
        ("string literal", NoEnd),
        ("newline in a string", NoEnd),
        ("while expecting a value", NoValue),
        ("escape", "a \\ has a meaning of its own between \"…\": write the text between '…'"),
        ("for an array", "an array has no end: write ] after its last value"),
        ("items in an array", "two values of an array have no comma between them: write one"),
        ("inline table", "a table in braces is not whole: write {KEY = VALUE, KEY = VALUE}"),
        ("closebracket", "a table's name has other brackets than it needs: write [NAME], or [[players]] for a player"),
        ("token `newline`", "there is more after the value: write one KEY = VALUE on a line, and a text in quotes (\"…\")"),
    ];

    /// <summary>Reads a file.</summary>
    /// <exception cref="CommandException">It cannot be read, or is not TOML.</exception>
    internal static ConfigurationTable Read(string path)
    {
        try
        {
            if (Directory.Exists(path))
            {
                throw new CommandException($"{path} is a folder: name a file");
            }

            using var file = File.OpenRead(path);
            var bytes = new byte[LongestFile + 1];
            var length = file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
            return length <= LongestFile ? Parse(path, bytes.AsSpan(0, length))
                : throw new CommandException($"{path} has more than {LongestFile >> 20} MiB: name a configuration file");
        }
        catch (Exception error) when (error is FileNotFoundException or DirectoryNotFoundException)
        {
            throw new CommandException($"{path} does not exist: write the path of a file, or make one with sc2bridge init", error);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new CommandException($"{path} cannot be read: {error.Message}", error);
        }
    }

    /// <summary>Reads the bytes of a file.</summary>
    /// <param name="path">For errors.</param>
    /// <param name="bytes">Not trusted.</param>
    /// <exception cref="CommandException">They are not TOML.</exception>
    internal static ConfigurationTable Parse(string path, ReadOnlySpan<byte> bytes)
    {
        DocumentSyntax document;
        try
        {
            document = SyntaxParser.Parse(new UTF8Encoding(false, throwOnInvalidBytes: true).GetString(bytes).TrimStart('\uFEFF'), path, validate: true);
        }
        catch (DecoderFallbackException error)
        {
            throw Wrong(path, 1 + bytes[..Math.Clamp(error.Index, 0, bytes.Length)].Count((byte)'\n'), "not valid UTF-8");
        }
        catch (TomlException error)
        {
            throw new CommandException($"{path}: {error.Message}", error);
        }

        foreach (var problem in document.Diagnostics)
        {
            throw Wrong(path, problem.Span.Start.Line + 1, InPlainWords(problem.Message));
        }

        var root = new ConfigurationTable(1);
        AddAll(path, root, document.KeyValues);
        foreach (var table in document.Tables)
        {
            AddAll(path, Enter(path, root, table), table.Items);
        }

        return root;
    }

    /// <summary>An error in a line.</summary>
    internal static CommandException Wrong(string path, int line, string problem) => new($"{path}:{line}: {problem}");

    // The parser's messages need knowledge of its grammar. Rare ones are quoted.
    private static string InPlainWords(string problem) =>
        Regex.Match(problem, @"^The key `(.+?)` is already defined at \((\d+),") is { Success: true } twice
            ? $"{twice.Groups[1]} is there already, in line {twice.Groups[2]}: remove one of the two"
        : Regex.Match(problem, "^Unexpected token `(.+)` for a value") is { Success: true } value
            ? value.Groups[1].Value == "<eof>" ? NoValue : $"{value.Groups[1]} is no value: {Values}"
        : Array.Find(_mistakes, mistake => problem.Contains(mistake.Part, StringComparison.Ordinal)).Words
            ?? $"this is not TOML: write KEY = VALUE, with a text in quotes, or [TABLE] ({problem})";

    private static ConfigurationTable Enter(string path, ConfigurationTable root, TableSyntaxBase table)
    {
        var line = Line(table);
        var keys = Keys(table.Name!);
        if (table is not TableArraySyntax)
        {
            return Descend(path, root, keys, line);
        }

        var parent = Descend(path, root, keys[..^1], line);
        parent.Items.TryAdd(keys[^1], new ConfigurationList(line));
        var made = new ConfigurationTable(line);
        (parent.Items[keys[^1]] as ConfigurationList ?? throw Wrong(path, line, $"{keys[^1]} is not an array")).Items.Add(made);
        return made;
    }

    private static ConfigurationTable Descend(string path, ConfigurationTable table, IEnumerable<string> keys, int line)
    {
        foreach (var key in keys)
        {
            table.Items.TryAdd(key, new ConfigurationTable(line));
            table = (table.Items[key] is ConfigurationList { Items: [.., var last] } ? last : table.Items[key]) as ConfigurationTable
                ?? throw Wrong(path, line, $"{key} is not a table");
        }

        return table;
    }

    private static void AddAll(string path, ConfigurationTable table, IEnumerable<KeyValueSyntax> items)
    {
        foreach (var item in items)
        {
            var keys = Keys(item.Key!);
            if (!Descend(path, table, keys[..^1], Line(item)).Items.TryAdd(keys[^1], Node(path, item.Value!)))
            {
                throw Wrong(path, Line(item), $"{keys[^1]} is there twice");
            }
        }
    }

    private static ConfigurationNode Node(string path, ValueSyntax value)
    {
        switch (value)
        {
            case StringValueSyntax text:
                return new ConfigurationValue(Line(value), text.Value!, IsFlag: false);
            case IntegerValueSyntax number:
                return new ConfigurationValue(Line(value), number.Value.ToString(CultureInfo.InvariantCulture), IsFlag: false);
            case FloatValueSyntax number:
                return new ConfigurationValue(Line(value), number.Value.ToString(CultureInfo.InvariantCulture), IsFlag: false);
            case BooleanValueSyntax flag:
                return new ConfigurationValue(Line(value), flag.Value ? "true" : "false", IsFlag: true);
            case ArraySyntax array:
                var list = new ConfigurationList(Line(value));
                list.Items.AddRange(array.Items.Select(item => Node(path, item.Value!)));
                return list;
            case InlineTableSyntax inline:
                var table = new ConfigurationTable(Line(value));
                AddAll(path, table, inline.Items.Select(item => item.KeyValue!));
                return table;
            default:
                throw Wrong(path, Line(value), "no option takes a date or a time: write a text, a number, true or false");
        }
    }

    private static string[] Keys(KeySyntax key) => [Key(key.Key!), .. key.DotKeys.Select(dotted => Key(dotted.Key!))];

    private static string Key(BareKeyOrStringValueSyntax key) => key is BareKeySyntax bare ? bare.Key!.Text! : ((StringValueSyntax)key).Value!;

    private static int Line(SyntaxNode node) => node.Span.Start.Line + 1;
}
