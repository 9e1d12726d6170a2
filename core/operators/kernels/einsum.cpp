#include "operators/kernels/einsum.h"

#include "operators/kernels/typed.h"

#include <map>

namespace stagecraft::kernels {
namespace {

// Dimensions that an ellipsis stands for, from the last one, are written with these characters.
constexpr char kEllipsis = '0';

// The letters of one operand, with those of its ellipsis filled in.
Result<std::string> lettersOf(const std::string &text, std::size_t rank)
{
    const std::size_t dots = text.find("...");
    if (dots == std::string::npos)
        return text.size() == rank ? Result<std::string>(text) : refuse("its equation does not fit its operands");
    if (text.size() - 3 > rank || rank > text.size() - 3 + 9)
        return refuse("its equation does not fit its operands");
    std::string filled;
    for (std::size_t i = rank - (text.size() - 3); i > 0; --i)
        filled += static_cast<char>(kEllipsis + static_cast<char>(i) - 1);
    return text.substr(0, dots) + filled + text.substr(dots + 3);
}

std::vector<std::string> partsAt(const std::string &text, char comma)
{
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == comma)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

// Without an output in the equation: the ellipsis, then the letters that occur once, in order.
std::string impliedOutput(const std::map<char, int> &counts)
{
    std::string ellipsis;
    std::string letters;
    for (const auto &[letter, count] : counts) {
        if (letter < 'A')
            ellipsis.insert(ellipsis.begin(), letter);
        else if (count == 1)
            letters += letter;
    }
    return ellipsis + letters;
}

} // namespace

Result<EinsumPlan> planEinsum(const std::string &equation, const std::vector<std::vector<std::int64_t>> &shapes)
{
    std::string text = equation;
    std::erase(text, ' ');
    const std::size_t arrow = text.find("->");
    const auto operands = partsAt(text.substr(0, arrow), ',');
    if (operands.size() != shapes.size())
        return refuse("its equation has " + std::to_string(operands.size()) + " operands");
    std::map<char, std::int64_t> sizes;
    std::map<char, int> counts;
    std::size_t ellipsis = 0;
    std::vector<std::string> letters;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        TRY_AS(auto own, lettersOf(operands[i], shapes[i].size()));
        for (std::size_t axis = 0; axis < own.size(); ++axis) {
            const char letter = own[axis];
            auto &size = sizes.try_emplace(letter, 1).first->second;
            if (size != 1 && shapes[i][axis] != 1 && size != shapes[i][axis])
                return refuse("its operands have shapes that do not fit");
            size = size == 1 ? shapes[i][axis] : size;
            ++counts[letter];
            ellipsis += letter < 'A' && counts[letter] == 1 ? 1 : 0;
        }
        letters.push_back(std::move(own));
    }
    std::string output = impliedOutput(counts);
    if (arrow != std::string::npos) {
        const std::string written = text.substr(arrow + 2);
        const bool hasDots = written.find("...") != std::string::npos;
        TRY_AS(auto filled, lettersOf(written, written.size() - (hasDots ? 3 : 0) + (hasDots ? ellipsis : 0)));
        output = filled;
    }
    EinsumPlan plan;
    std::string summed;
    for (const char letter : output) {
        if (!sizes.contains(letter))
            return refuse("its equation makes a dimension that no operand has");
        plan.outputDims.push_back(sizes[letter]);
    }
    for (const auto &[letter, size] : sizes) {
        if (output.find(letter) == std::string::npos) {
            summed += letter;
            plan.summedDims.push_back(size);
        }
    }
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const Dims dense = stridesOf(shapes[i]);
        const auto stridesFor = [&](const std::string &wanted) {
            Dims strides(wanted.size(), 0);
            for (std::size_t axis = 0; axis < letters[i].size(); ++axis) {
                const std::size_t at = wanted.find(letters[i][axis]);
                if (at != std::string::npos && shapes[i][axis] != 1)
                    strides[at] += dense[axis]; // a letter that is there twice reads the diagonal
            }
            return strides;
        };
        plan.outputStrides.push_back(stridesFor(output));
        plan.summedStrides.push_back(stridesFor(summed));
    }
    return plan;
}

} // namespace stagecraft::kernels
