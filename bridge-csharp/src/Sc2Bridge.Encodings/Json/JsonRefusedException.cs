namespace Sc2Bridge.Encodings.Json;

/// <summary>A part of a text is refused. The reader of the text adds the place.</summary>
/// <param name="what">What is wrong.</param>
/// <param name="instead">What would be right.</param>
internal sealed class JsonRefusedException(string what, string instead) : Exception($"{what}; {instead}");
