using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Terminal;

/// <summary>Creates options of several types. An invalid value is refused with one line that describes a valid value.</summary>
public static class OptionKinds
{
    private const string JsonName = "--json";
    private const double LongestSeconds = 86_400;

    /// <summary>An option with any text. Without a default, the option may be required, and its value is null if the user does not give the option.</summary>
    public static Option<string?> Text(string name, string? defaultValue, string helpName, string description) => defaultValue is null
        ? new(name) { HelpName = helpName, Description = description }
        : new(name)
        {
            HelpName = helpName,
            Description = $"{description} (default: {defaultValue})",
            DefaultValueFactory = _ => defaultValue,
        };

    /// <summary>Describes the value that an option needs, for an error message.</summary>
    public static string DescribeValue(Option option)
    {
        ArgumentNullException.ThrowIfNull(option);
        return option.Name == JsonName ? $"a FILE, or - for standard output, such as {JsonName} result.json" : $"{option.Name} {option.HelpName}";
    }

    /// <summary>The option <c>--json</c>, which names the file for results as JSON.</summary>
    /// <param name="what">The content of the file, for the help.</param>
    public static Option<string?> Json(string what) =>
        Text(JsonName, null, "FILE", $"also write {what} to this file, as JSON; `-` writes it to standard output instead of tables");

    /// <summary>An option without a value, which is on or off.</summary>
    public static Option<bool> Flag(string name, string description) => new(name) { Description = description };

    /// <summary>An option with one value of an enumeration, written in lower case.</summary>
    public static Option<T> Choice<T>(string name, T defaultValue, string description)
        where T : struct, Enum
    {
        var words = OneOf(name, [.. Enum.GetNames<T>().Select(value => value.ToLowerInvariant())], description);
        return new(name)
        {
            HelpName = words.HelpName,
            Description = $"{description} (default: {defaultValue.ToString().ToLowerInvariant()})",
            DefaultValueFactory = _ => defaultValue,
            CustomParser = result => Enum.TryParse<T>(words.CustomParser!(result), ignoreCase: true, out var value) ? value : defaultValue,
        };
    }

    /// <summary>An option with one of some words, in upper or lower case; null if the user does not give the option.</summary>
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

    /// <summary>An option with a whole number in a range. If the default depends on the machine, the help shows <c>defaultText</c> instead.</summary>
    public static Option<long> Number(
        string name, long defaultValue, string helpName, string description, long lowest, long highest, string? defaultText = null)
    {
        return new(name)
        {
            HelpName = helpName,
            Description = $"{description} (default: {defaultText ?? $"{defaultValue}"})",
            DefaultValueFactory = _ => defaultValue,
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

    /// <summary>An option with a TCP port; null if the user does not give it.</summary>
    public static Option<int?> Port(string name, string description, int highest = 65_535) => CreateParsed<int>(
        name, "PORT", description,
        text => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var port) && port > 0 && port <= highest ? port : null,
        $"a port, a whole number from 1 to {highest}");

    /// <summary>An option with a whole number of at least 1; null if the user does not give it.</summary>
    public static Option<int?> PositiveNumber(string name, string description) => CreateParsed<int>(
        name, "N", description,
        text => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var count) && count > 0 ? count : null,
        "a whole number from 1 on");

    /// <summary>An option with a whole number of at least 0; null if the user does not give it.</summary>
    public static Option<uint?> UnsignedNumber(string name, string helpName, string description, string advice) => CreateParsed<uint>(
        name, helpName, description,
        text => uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : null, advice);

    /// <summary>An option with a game loop; null if the user does not give it.</summary>
    public static Option<uint?> GameLoop(string name, string description) =>
        UnsignedNumber(name, "LOOP", description, "a game loop, a whole number from 0 on");

    /// <summary>An option with a number of bytes, such as 500M, 512MB or 512MiB (1 K is 1024 bytes); null if the user does not give it.</summary>
    public static Option<long?> Size(string name, string description, long lowest = 1, long highest = long.MaxValue) => CreateParsed<long>(
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
            + (highest < long.MaxValue ? $", from {lowest >> 20}M to {highest >> 20}M (all memory of this machine or container)"
                : lowest > 1 ? $", at least {lowest >> 20}M" : ""));

    /// <summary>Makes a validator that checks each value of an option.</summary>
    /// <param name="isValid">Whether a value is valid.</param>
    /// <param name="advice">What the user should write.</param>
    public static Action<OptionResult> ValidateEach(Func<string, bool> isValid, string advice) => result =>
    {
        if (result.Tokens.FirstOrDefault(token => !isValid(token.Value)) is { } wrong)
        {
            result.AddError($"{result.Option.Name} {wrong.Value}: {advice}");
        }
    };

    /// <summary>An option with a time in seconds.</summary>
    public static Option<TimeSpan?> Seconds(string name, TimeSpan? defaultValue, string description)
    {
        var option = CreateParsed<TimeSpan>(
            name, "SECONDS", description,
            text => double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var value)
                && value <= LongestSeconds && TimeSpan.FromSeconds(value) is { Ticks: > 0 } time ? time : null,
            $"seconds, more than 0 and at most {LongestSeconds}");
        option.DefaultValueFactory = _ => defaultValue;
        return option;
    }

    // The function parse returns null for an invalid value.
    private static Option<T?> CreateParsed<T>(string name, string helpName, string description, Func<string, T?> parse, string advice)
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
