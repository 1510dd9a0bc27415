using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Tomlyn;
using Tomlyn.Parsing;
using Tomlyn.Syntax;

namespace Sc2Bridge.Cli;

/// <summary>Reads TOML. Values are texts, numbers, true and false. Dates are refused, because no option needs a date.</summary>
internal static class ConfigurationReader
{
    /// <summary>The maximum size of a file, in bytes.</summary>
    internal const int LongestFile = 1 << 20;

    private const string Values = "write a text in quotes (\"…\"), a number, true or false";
    private const string NoValue = $"the value after = is missing: {Values}";
    private const string NoEnd = "a text has no end: write a quote (\" or ') after it";

    // A part of a message of the parser, and the message to print instead.
    private static readonly (string Part, string Words)[] _mistakes =
    [
        ("Expecting `=`", "a key has no value: write KEY = VALUE"),
        ("string literal", NoEnd),
        ("newline in a string", NoEnd),
        ("while expecting a value", NoValue),
        ("escape", "a \\ has a meaning of its own between \"…\": write the text between '…'"),
        ("for an array", "an array has no end: write ] after its last value"),
        ("items in an array", "two values of an array have no comma between them: write one"),
        ("inline table", "a table in braces is incomplete: write {KEY = VALUE, KEY = VALUE}"),
        ("closebracket", "a table's name has other brackets than it needs: write [NAME], or [[players]] for a player"),
        ("token `newline`", "more text follows the value: write one KEY = VALUE on a line, and a text in quotes (\"…\")"),
    ];

    /// <summary>Reads a file.</summary>
    /// <exception cref="CommandException">The file cannot be read, or is not TOML.</exception>
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
            throw new CommandException(new FileInfo(path).LinkTarget is { } target ? $"{path} is a link to {target}, which does not exist: make that file, or remove the link"
                : $"{path} does not exist: write the path of a file, or make one with sc2bridge init", error);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new CommandException($"{path} cannot be read: {error.Message}", error);
        }
    }

    /// <summary>Reads the bytes of a file.</summary>
    /// <param name="path">The path of the file, for errors.</param>
    /// <param name="bytes">The content, which is not trusted.</param>
    /// <exception cref="CommandException">The bytes are not TOML.</exception>
    internal static ConfigurationTable Parse(string path, ReadOnlySpan<byte> bytes)
    {
        DocumentSyntax document;
        try
        {
            var text = new UTF8Encoding(false, throwOnInvalidBytes: true).GetString(bytes).TrimStart('\uFEFF');
            document = SyntaxParser.Parse(text, path, validate: true);

            // A number that is too long becomes a text. The option then reports the valid range.
            var tooLong = document.Diagnostics.Where(problem => problem.Message.StartsWith("Unable to parse integer", StringComparison.Ordinal)).Select(problem => problem.Span)
                .OrderBy(span => span.Start.Offset).ToList();
            if (tooLong.Count > 0)
            {
                var quoted = new StringBuilder();
                var done = 0;
                foreach (var span in tooLong)
                {
                    quoted.Append(text, done, span.Start.Offset - done).Append('"').Append(text, span.Start.Offset, span.End.Offset + 1 - span.Start.Offset).Append('"');
                    done = span.End.Offset + 1;
                }

                document = SyntaxParser.Parse(quoted.Append(text, done, text.Length - done).ToString(), path, validate: true);
            }
        }
        catch (DecoderFallbackException error)
        {
            throw ErrorAt(path, 1 + bytes[..Math.Clamp(error.Index, 0, bytes.Length)].Count((byte)'\n'), "not valid UTF-8");
        }
        catch (TomlException error)
        {
            throw new CommandException($"{path}: {error.Message}", error);
        }

        foreach (var problem in document.Diagnostics)
        {
            throw ErrorAt(path, problem.Span.Start.Line + 1, ToPlainError(problem.Message));
        }

        var root = new ConfigurationTable(1);
        AddAll(path, root, document.KeyValues);
        foreach (var table in document.Tables)
        {
            AddAll(path, EnterTable(path, root, table), table.Items);
        }

        return root;
    }

    /// <summary>Makes the error for a line of a file.</summary>
    internal static CommandException ErrorAt(string path, int line, string problem) => new($"{path}:{line}: {problem}");

    // Messages of the parser use the words of its grammar, so common messages are replaced. Rare messages are quoted.
    private static string ToPlainError(string problem) =>
        Regex.Match(problem, @"^The key `(.+?)` is already defined at \((\d+),") is { Success: true } twice
            ? $"{twice.Groups[1]} already exists, in line {twice.Groups[2]}: remove one of the two"
        : Regex.Match(problem, "^Unexpected token `(.+)` for a value") is { Success: true } value
            ? value.Groups[1].Value == "<eof>" ? NoValue : $"{value.Groups[1]} is not a value: {Values}"
        : Array.Find(_mistakes, mistake => problem.Contains(mistake.Part, StringComparison.Ordinal)).Words
            ?? $"this is not TOML: write KEY = VALUE, with a text in quotes, or [TABLE] ({problem})";

    private static ConfigurationTable EnterTable(string path, ConfigurationTable root, TableSyntaxBase table)
    {
        var line = Line(table);
        var keys = Keys(table.Name!);
        if (table is not TableArraySyntax)
        {
            return DescendTables(path, root, keys, line);
        }

        var parent = DescendTables(path, root, keys[..^1], line);
        parent.Items.TryAdd(keys[^1], new ConfigurationList(line));
        var made = new ConfigurationTable(line);
        (parent.Items[keys[^1]] as ConfigurationList ?? throw ErrorAt(path, line, $"{keys[^1]} is not an array")).Items.Add(made);
        return made;
    }

    private static ConfigurationTable DescendTables(string path, ConfigurationTable table, IEnumerable<string> keys, int line)
    {
        foreach (var key in keys)
        {
            table.Items.TryAdd(key, new ConfigurationTable(line));
            table = (table.Items[key] is ConfigurationList { Items: [.., var last] } ? last : table.Items[key]) as ConfigurationTable
                ?? throw ErrorAt(path, line, $"{key} is not a table");
        }

        return table;
    }

    private static void AddAll(string path, ConfigurationTable table, IEnumerable<KeyValueSyntax> items)
    {
        foreach (var item in items)
        {
            var keys = Keys(item.Key!);
            if (!DescendTables(path, table, keys[..^1], Line(item)).Items.TryAdd(keys[^1], ToNode(path, item.Value!)))
            {
                throw ErrorAt(path, Line(item), $"{keys[^1]} is set twice: remove one of the two");
            }
        }
    }

    private static ConfigurationNode ToNode(string path, ValueSyntax value)
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
                list.Items.AddRange(array.Items.Select(item => ToNode(path, item.Value!)));
                return list;
            case InlineTableSyntax inline:
                var table = new ConfigurationTable(Line(value));
                AddAll(path, table, inline.Items.Select(item => item.KeyValue!));
                return table;
            default:
                throw ErrorAt(path, Line(value), "no option takes a date or a time: write a text, a number, true or false");
        }
    }

    private static string[] Keys(KeySyntax key) => [Key(key.Key!), .. key.DotKeys.Select(dotted => Key(dotted.Key!))];

    private static string Key(BareKeyOrStringValueSyntax key) => key is BareKeySyntax bare ? bare.Key!.Text! : ((StringValueSyntax)key).Value!;

    private static int Line(SyntaxNode node) => node.Span.Start.Line + 1;
}
