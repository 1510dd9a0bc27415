using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Terminal;

/// <summary>Kinds of options; what is no value of its kind is refused in one line that says what to write.</summary>
public static class OptionKinds
{
    private const string JsonName = "--json";
    private const double LongestSeconds = 86_400;

    /// <summary>Any text. Without a preset it is null if the user gives none, and may be required.</summary>
    public static Option<string?> Text(string name, string? preset, string helpName, string description) => preset is null
        ? new(name) { HelpName = helpName, Description = description }
        : new(name)
        {
            HelpName = helpName,
            Description = $"{description} (default: {preset})",
            DefaultValueFactory = _ => preset,
        };

    /// <summary>What is to be written for an option, for people.</summary>
    public static string ValueOf(Option option)
    {
        ArgumentNullException.ThrowIfNull(option);
        return option.Name == JsonName ? $"a FILE, or - for standard output, such as {JsonName} result.json" : $"{option.Name} {option.HelpName}";
    }

    /// <summary>Where results go as JSON.</summary>
    /// <param name="what">What is written.</param>
    public static Option<string?> Json(string what) =>
        Text(JsonName, null, "FILE", $"also write {what} to this file, as JSON; `-` writes it to standard output instead of tables");

    /// <summary>On or off.</summary>
    public static Option<bool> Flag(string name, string description) => new(name) { Description = description };

    /// <summary>One of an enumeration's values, in lower case.</summary>
    public static Option<T> Choice<T>(string name, T preset, string description)
        where T : struct, Enum
    {
        var words = OneOf(name, [.. Enum.GetNames<T>().Select(value => value.ToLowerInvariant())], description);
        return new(name)
        {
            HelpName = words.HelpName,
            Description = $"{description} (default: {preset.ToString().ToLowerInvariant()})",
            DefaultValueFactory = _ => preset,
            CustomParser = result => Enum.TryParse<T>(words.CustomParser!(result), ignoreCase: true, out var value) ? value : preset,
        };
    }

    /// <summary>One of some words, in lower case; null if the user gives none.</summary>
    public static Option<string?> OneOf(string name, string[] values, string description) => new(name)
    {
        HelpName = string.Join('|', values),
        Description = description,
        CustomParser = result =>
        {
            var text = result.Tokens[0].Value;
            var value = Array.Find(values, one => one.Equals(text, StringComparison.OrdinalIgnoreCase));
            if (value is null)
            {
                result.AddError($"{name} {text}: write {string.Join(", ", values[..^1])} or {values[^1]}{ClosestWord.Hint(text, values)}");
            }

            return value;
        },
    };

    /// <summary>A whole number between two ends.</summary>
    public static Option<long> Number(
        string name, long preset, string helpName, string description, long lowest, long highest)
    {
        return new(name)
        {
            HelpName = helpName,
            Description = $"{description} (default: {preset})",
            DefaultValueFactory = _ => preset,
            CustomParser = result =>
            {
                var text = result.Tokens[0].Value;
                if (!long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var value)
                    || value < lowest || value > highest)
                {
                    result.AddError($"{name} {text}: write a whole number from {lowest} to {highest}");
                }

                return value;
            },
        };
    }

    /// <summary>A TCP port; null where none is named.</summary>
    public static Option<int?> Port(string name, string description) => Parsed<int>(
        name, "PORT", description,
        text => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var port) && port is > 0 and <= 65_535 ? port : null,
        "a port, a whole number from 1 to 65535");

    /// <summary>How many of something at most, from 1 on; null where nothing is said.</summary>
    public static Option<int?> Count(string name, string description) => Parsed<int>(
        name, "N", description,
        text => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var count) && count > 0 ? count : null,
        "a whole number from 1 on");

    /// <summary>A whole number from 0 on; null if the user gives none.</summary>
    public static Option<uint?> Whole(string name, string helpName, string description, string advice) => Parsed<uint>(
        name, helpName, description,
        text => uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : null, advice);

    /// <summary>A game loop; null where none is named.</summary>
    public static Option<uint?> GameLoop(string name, string description) =>
        Whole(name, "LOOP", description, "a game loop, a whole number from 0 on");

    /// <summary>Bytes, as people write them (500M, 512MB, 512MiB: a K is 1024 bytes); null if the user gives no size.</summary>
    public static Option<long?> Size(string name, string description, long lowest = 1, long highest = long.MaxValue) => Parsed<long>(
        name, "SIZE", description,
        text =>
        {
            var digits = text.EndsWith("iB", StringComparison.OrdinalIgnoreCase) ? text[..^2]
                : text.EndsWith("B", StringComparison.OrdinalIgnoreCase) ? text[..^1] : text;
            var unit = digits.Length == 0
                ? 0 : "KMGT".IndexOf(char.ToUpperInvariant(digits[^1]), StringComparison.Ordinal) + 1;
            return long.TryParse(unit > 0 ? digits[..^1] : digits, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
                && number > 0 && number <= long.MaxValue >> (10 * unit) && number << (10 * unit) is var bytes && bytes >= lowest && bytes <= highest
                ? bytes : null;
        },
        "a size, such as 500M, 512MB or 20G"
            + (highest < long.MaxValue ? $", from {lowest >> 20}M to {highest >> 20}M (all memory of this machine or container)" : ""));

    /// <summary>Each value of an option is of its kind.</summary>
    /// <param name="isValid">Whether one is.</param>
    /// <param name="advice">What to write.</param>
    public static Action<OptionResult> EachIs(Func<string, bool> isValid, string advice) => result =>
    {
        if (result.Tokens.FirstOrDefault(token => !isValid(token.Value)) is { } wrong)
        {
            result.AddError($"{result.Option.Name} {wrong.Value}: {advice}");
        }
    };

    /// <summary>A time, in seconds.</summary>
    public static Option<TimeSpan?> Seconds(string name, TimeSpan? preset, string description)
    {
        var option = Parsed<TimeSpan>(
            name, "SECONDS", description,
            text => double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var value)
                && value <= LongestSeconds && TimeSpan.FromSeconds(value) is { Ticks: > 0 } time ? time : null,
            $"seconds, more than 0 and at most {LongestSeconds}");
        option.DefaultValueFactory = _ => preset;
        return option;
    }

    // Null for what is no such value.
    private static Option<T?> Parsed<T>(string name, string helpName, string description, Func<string, T?> parse, string advice)
        where T : struct => new(name)
        {
            HelpName = helpName,
            Description = description,
            CustomParser = result =>
            {
                var value = parse(result.Tokens[0].Value);
                if (value is null)
                {
                    result.AddError($"{name} {result.Tokens[0].Value}: write {advice}");
                }

                return value;
            },
        };
}
